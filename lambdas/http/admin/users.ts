// GET /api/admin/users
import { pageUsers } from '../../domain/users/find-user.js';
import { superadminRoute } from '../../edge/session-route.js';
import { users } from './contract.js';
import { personView } from './person-view.js';

export const handler = superadminRoute(users, async ({ query, user, table }) => {
  const page = await pageUsers(table, { ...query, cursorKey: user.cursorKey });
  return { status: 200, body: { users: page.users.map(personView), nextCursor: page.nextCursor } };
});
