import { type Route, superadmin } from '../../route-row.js';

export const routes: readonly Route[] = [
  { method: 'GET', path: '/api/admin/users', file: 'admin/users', auth: superadmin, grants: ['table:read'] },
  {
    method: 'PATCH',
    path: '/api/admin/users/{userId}',
    file: 'admin/change-user',
    auth: superadmin,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
];
