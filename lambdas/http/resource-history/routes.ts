import type { Route } from '../../route-row.js';

const auth = { kind: 'capability', capability: 'project:read' } as const;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/resource-history',
    file: 'resource-history/of-session',
    auth,
    grants: ['table:read', 'history:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}/resource-history',
    file: 'resource-history/of-task',
    auth,
    grants: ['table:read', 'history:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/workspaces/{workspaceId}/resource-history',
    file: 'resource-history/of-workspace',
    auth,
    grants: ['table:read', 'history:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/resource-timeline',
    file: 'resource-history/timeline',
    auth,
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/resource-timeline/chunks/{chunkId}',
    file: 'resource-history/timeline-chunk',
    auth,
    grants: ['table:read', 'history:read'],
  },
];
