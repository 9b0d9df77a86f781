import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/settings/agents',
    file: 'settings/agents',
    auth: person,
    grants: ['table:read'],
  },
  {
    method: 'PUT',
    path: '/api/settings/agents',
    file: 'settings/store-agents',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
];
