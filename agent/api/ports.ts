import { WorkspacePorts } from '../../protocol/node-api.js';
import type { AgentContracts } from './contract.js';

export const portContracts = {
  listPorts: {
    method: 'get',
    path: '/workspaces/{workspaceId}/ports',
    token: 'workspace',
    workspace: 'running',
    summary: 'List the ports on which a workspace listens',
    description:
      'The list is at most one second old. When the node cannot read the ports, `diagnostics.error` gives the reason. `forwardPorts` has the ports that the dev container configuration names, also before something listens.',
    responses: { 200: WorkspacePorts },
    errors: ['invalid_transition'],
  },
  preview: {
    method: 'any',
    path: '/workspaces/{workspaceId}/ports/{port}/{path}',
    token: 'preview',
    summary: 'Forward HTTP requests and WebSockets to a service of a workspace',
    description:
      'The service receives method, path, query and body unchanged, and its response is returned unchanged. Tokens of the platform are removed.',
    responses: { 200: '*/*', 101: null, 307: null },
    errors: ['invalid_transition', 'bad_gateway', 'unavailable', 'timed_out'],
  },
  localForward: {
    method: 'any',
    path: '/workspaces/{workspaceId}/local-forward/{port}/{path}',
    token: 'forward',
    summary: "Forward HTTP requests from a port of a person's own machine to a service of a workspace",
    responses: { 200: '*/*' },
    errors: ['invalid_transition', 'bad_gateway', 'unavailable', 'timed_out', 'not_implemented'],
  },
} satisfies AgentContracts;
