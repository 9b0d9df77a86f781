import { type Route, workspaceOwner } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-sessions',
    file: 'agent-sessions/create',
    auth: workspaceOwner,
    grants: ['table:write', 'tokens:sign'],
    limit: 'AGENT_CONTROL',
  },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}/agent-sessions',
    file: 'agent-sessions/list',
    auth: workspaceOwner,
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-sessions/{sessionId}/stop',
    file: 'agent-sessions/stop',
    auth: workspaceOwner,
    grants: ['table:write', 'tokens:sign'],
    limit: 'AGENT_CONTROL',
  },
];
