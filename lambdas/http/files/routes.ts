import type { Route } from '../../route-row.js';

const byteRoutes = ['files/raw', 'files/download', 'files/upload'];

const fileRoute = (method: 'GET' | 'POST', file: `${'files' | 'git'}/${string}`): Route => ({
  method,
  path: `/api/projects/{projectId}/sessions/{sessionId}/${file}`,
  file,
  auth: { kind: 'capability', capability: method === 'GET' ? 'workspace:read' : 'workspace:write' },
  grants: ['table:read', 'tokens:sign'],
  limit: 'NODE_READ',
  readsNode: byteRoutes.includes(file) ? 'bytes' : 'answer',
});

export const routes: readonly Route[] = [
  ...(['list', 'view', 'raw', 'download', 'find'] as const).map((name) => fileRoute('GET', `files/${name}`)),
  fileRoute('POST', 'files/upload'),
  fileRoute('POST', 'files/upload-address'),
  fileRoute('GET', 'git/status'),
  fileRoute('GET', 'git/diff'),
];
