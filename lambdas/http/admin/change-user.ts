// PATCH /api/admin/users/{userId}
import { changeUser as change } from '../../domain/users/change-user.js';
import { superadmins } from '../../edge/require-session.js';
import { superadminRoute } from '../../edge/session-route.js';
import { changeUser } from './contract.js';
import { personView } from './person-view.js';

export const handler = superadminRoute(changeUser, async ({ params, body, user, table, now, log }) => {
  const changed = await change(table, { ...params, change: body, superadmins, now });
  log.info('User changed', { userId: params.userId, changedBy: user.userId, ...body });
  return { status: 200, body: personView(changed) };
});
