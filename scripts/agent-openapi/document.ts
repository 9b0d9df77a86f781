import type { AgentRow } from '../../agent/api/contracts.js';
import { securitySchemes, tokenRules } from '../../agent/api/token-kinds.js';
import { nodeErrorCodes } from '../../protocol/node-api.js';
import { type AgentOperation, operation } from './operation.js';

const tags: Readonly<Record<string, string>> = {
  node: 'The agent itself',
  workspaces: 'Workspaces, for the control plane',
  terminals: 'Sockets of terminals',
  'agent-sessions': 'Agent sessions',
  files: 'Files of a workspace',
  git: 'Git queries and worktrees of a workspace',
  ports: 'Ports and previews of a workspace',
  diagnostics: 'The node as a whole, for the control plane',
};

const everyMethod = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const;

const schemas = {
  Error: {
    type: 'object',
    required: ['error', 'message'],
    properties: {
      error: { type: 'string', description: 'Stable', enum: nodeErrorCodes },
      message: { type: 'string', description: 'For people' },
      details: {
        type: 'array',
        description: 'The invalid fields of a request',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  },
};

/**
 * The OpenAPI 3.1 document of the node agent, made from the schemas that also parse its requests.
 */
export function agentDocument(rows: readonly AgentRow[]) {
  const paths: Record<string, Record<string, AgentOperation>> = {};
  for (const row of rows) {
    const { method, path } = row.contract;
    const methods = method === 'any' ? everyMethod : [method];
    for (const each of methods) {
      const suffix = method === 'any' ? each : '';
      paths[path] = { ...paths[path], [each]: operation(row, suffix) };
    }
  }
  const used = new Set(rows.map(({ area }) => area));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Berth node agent',
      version: '0.1.0',
      description: 'Workspaces, terminals, files, git and diagnostics of one node.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: 'https://{node}:{port}',
        description: 'A node',
        variables: { node: { default: 'node.berth.example' }, port: { default: '8443' } },
      },
    ],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: { securitySchemes: usedSchemes(rows), schemas },
  };
}

function usedSchemes(rows: readonly AgentRow[]) {
  const used = new Set<string>(rows.flatMap(({ contract }) => tokenRules[contract.token].schemes));
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)));
}
