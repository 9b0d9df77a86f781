// PATCH /api/admin/users/{userId}
import { changeUser as change } from '../../domain/users/change-user.js';
import { superadminRoute } from '../../edge/superadmin-route.js';
import { superadmins } from '../../edge/superadmins.js';
import { changeUser } from './contract.js';
import { personView } from './person-view.js';

export const handler = superadminRoute(changeUser, async ({ params, body, user, table, now, log }) => {
  const changed = await change(table, { ...params, change: body, superadmins, now });
  log.info('User changed', { userId: params.userId, changedBy: user.userId, ...body });
  return { status: 200, body: personView(changed) };
});
