import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/terminal/token',
    file: 'terminal/token',
    auth: person,
    grants: ['table:write', 'tokens:sign', 'dns:write'],
    limit: 'TERMINAL_TOKEN',
  },
];
