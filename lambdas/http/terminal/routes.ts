import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/terminal/token',
    file: 'terminal/token',
    auth: person,
    grants: ['table:write', 'tokens:sign', 'saga:provision-workspace'],
    limit: 'TERMINAL_TOKEN',
  },
  {
    method: 'POST',
    path: '/api/terminal/preview-token',
    file: 'terminal/preview-token',
    auth: person,
    grants: ['table:write', 'tokens:sign', 'dns:write', 'saga:provision-workspace'],
    limit: 'PREVIEW_TOKEN',
  },
  {
    method: 'POST',
    path: '/api/terminal/activity',
    file: 'terminal/activity',
    auth: person,
    grants: ['table:write'],
    limit: 'WORKSPACE_CHANGE',
  },
];
