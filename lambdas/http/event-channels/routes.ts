import type { Route } from '../../route-row.js';

const auth = { kind: 'capability', capability: 'task:read' } as const;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/projects/{projectId}/event-channels',
    file: 'event-channels/list',
    auth,
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/event-channels/{channel}/history',
    file: 'event-channels/history',
    auth,
    grants: ['table:read'],
  },
];
