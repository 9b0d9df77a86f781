import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
  { method: 'GET', path: '/api/inbox', file: 'inbox/list', auth: person, grants: ['table:read'] },
  {
    method: 'DELETE',
    path: '/api/inbox/{itemId}',
    file: 'inbox/dismiss',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
];
