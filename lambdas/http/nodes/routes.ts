import { nodeOwner, person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  { method: 'GET', path: '/api/nodes', file: 'nodes/list', auth: person, grants: ['table:read'] },
  { method: 'GET', path: '/api/nodes/{nodeId}', file: 'nodes/get', auth: nodeOwner, grants: ['table:read'] },
  {
    method: 'POST',
    path: '/api/nodes/{nodeId}/stop',
    file: 'nodes/stop',
    auth: nodeOwner,
    grants: ['table:write', 'saga:remove-node'],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/nodes/{nodeId}',
    file: 'nodes/delete',
    auth: nodeOwner,
    grants: ['table:write', 'saga:remove-node'],
    limit: 'WORKSPACE_CHANGE',
  },
];
