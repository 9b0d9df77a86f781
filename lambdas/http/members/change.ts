// PATCH /api/projects/{projectId}/members/{userId}
import { changeRole } from '../../domain/members/change-member.js';
import { memberNotFound } from '../../domain/members/errors.js';
import { change } from './contract.js';
import { memberRoute } from './member-route.js';
import { memberView } from './member-view.js';

export const handler = memberRoute(change, async ({ body, project, member, target, table, now }) => {
  if (target.status !== 'active') throw memberNotFound();
  const changed = await changeRole(table, { project, actor: member, target, role: body.role, now });
  return { status: 200, body: memberView(changed, { project, now }) };
});
