import type { Route } from '../../route-row.js';
import type { Contract } from '../contract.js';
import { errorCodes, errorExamples } from './error-responses.js';
import { type Operation, operation } from './operation.js';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, object>>;
}

const tags = [
  { name: 'utility', description: 'Health, keys, this document, the node agent' },
  { name: 'auth', description: 'Signing in and out' },
  { name: 'codehost', description: 'Installations and repositories on the code host' },
  { name: 'projects', description: 'Projects' },
  { name: 'members', description: 'Who may do what in a project' },
  { name: 'invites', description: 'Ways into a project' },
  { name: 'profiles', description: 'Agent profiles: who works' },
  { name: 'skills', description: 'Skills: how something is done' },
  { name: 'settings', description: 'How you want your agents to be' },
  { name: 'event-subscriptions', description: 'Events that agents follow in their projects' },
  { name: 'inbox', description: 'What waits for you in all your projects' },
  { name: 'tasks', description: 'Tasks: work that an agent does on a branch' },
  { name: 'chats', description: 'Chat sessions and what is said in them' },
  { name: 'resource-history', description: 'What workspaces used of memory, CPU time and disks' },
  { name: 'event-channels', description: 'Messages that agents of a project publish for each other' },
  { name: 'files', description: 'Files of the workspace behind a chat session' },
  { name: 'git', description: 'What git knows of the workspace behind a chat session' },
  { name: 'credentials', description: 'What agents sign in with' },
  { name: 'workspaces', description: 'Development workspaces' },
  { name: 'agent-sessions', description: 'Coding agents in workspaces' },
  { name: 'terminal', description: 'Access to terminals' },
  { name: 'nodes', description: 'The machines that workspaces run on' },
  { name: 'mcp', description: 'Tools of coding agents, over the Model Context Protocol' },
  { name: 'admin', description: 'The people of the deployment' },
  { name: 'callbacks', description: 'What node agents report to the control plane' },
];

const components = {
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-berth_session',
      description:
        'Opened by signing in with the code host. Calls that change something must come from our own origin.',
    },
    nodeToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "A node's callback token",
    },
    workspaceToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The callback token of one generation of a workspace',
    },
    mcpToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'What an agent is given with its session; docs/mcp.md',
    },
  },
  schemas: {
    Error: {
      type: 'object',
      required: ['error', 'message', 'requestId'],
      properties: {
        error: { type: 'string', description: 'Stable, upper-case', examples: ['NOT_FOUND'] },
        message: { type: 'string', description: 'For people' },
        requestId: { type: 'string', description: 'Name it when you report a problem' },
        details: {
          type: 'array',
          description: 'The failing fields of a bad request, or the fields whose value is taken',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: {
              field: { type: 'string', examples: ['body.branch'] },
              message: { type: 'string' },
              existingId: { type: 'string', description: 'Your record that has this value already' },
            },
          },
        },
      },
    },
  },
};

interface Subject {
  readonly title: string;
  readonly description: string;
}
const controlPlane: Subject = {
  title: 'Berth',
  description: 'Cloud development workspaces and coding agents on your own AWS account: the control plane.',
};

/**
 * The OpenAPI 3.1 document of these routes, made from the schemas that also parse requests and
 * replies. Errors follow from the kind of caller, the kind of body and the codes that the contract
 * names.
 */
export function openApiDocument(
  routes: readonly Route[],
  contractOf: (file: string) => Contract | undefined,
  subject: Subject = controlPlane,
): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const contract = contractOf(route.file);
    // A test holds that none is missing; the document of the others is worth serving even so.
    if (!contract) continue;
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, contract) };
  }
  const codes = routes.flatMap((route) => {
    const contract = contractOf(route.file);
    return contract ? [...errorCodes(route, contract).values()].flat() : [];
  });
  const used = new Set(routes.map(({ file }) => file.split('/')[0]));
  return {
    openapi: '3.1.0',
    info: {
      ...subject,
      version: '0.1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This deployment' }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...components, securitySchemes: schemesOf(paths), examples: errorExamples(codes) },
  };
}

/** A document names only the ways to authenticate that its operations accept. */
function schemesOf(paths: OpenApiDocument['paths']): object {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)));
  return Object.fromEntries(Object.entries(components.securitySchemes).filter(([name]) => used.has(name)));
}
