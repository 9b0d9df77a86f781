import { WorkspacePorts } from '../../protocol/node-api.js';
import type { AgentContracts } from './contract.js';

export const portContracts = {
  listPorts: {
    method: 'get',
    path: '/workspaces/{workspaceId}/ports',
    token: 'workspace',
    summary: 'Ports on which a workspace listens',
    description: 'At most a second old. Where ports cannot be found, `diagnostics.error` says why.',
    answers: { 200: WorkspacePorts },
    errors: ['invalid_transition'],
  },
  preview: {
    method: 'any',
    path: '/workspaces/{workspaceId}/ports/{port}/{path}',
    token: 'preview',
    summary: 'A service of a workspace: HTTP of any method, and WebSockets',
    description:
      'Method, path, query and body come to the service as they are, and its answer as it makes it. A token of the platform stays here.',
    answers: { 200: '*/*', 101: null, 307: null },
    errors: ['invalid_transition', 'bad_gateway', 'unavailable', 'timed_out'],
  },
  localForward: {
    method: 'any',
    path: '/workspaces/{workspaceId}/local-forward/{port}/{path}',
    token: 'forward',
    summary: "A service of a workspace as a person's own machine offers it",
    answers: { 200: '*/*' },
    errors: ['invalid_transition', 'bad_gateway', 'unavailable', 'timed_out', 'not_implemented'],
  },
} satisfies AgentContracts;
