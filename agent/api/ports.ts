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
} satisfies AgentContracts;
