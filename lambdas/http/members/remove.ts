// DELETE /api/projects/{projectId}/members/{userId}
import { removeMember } from '../../domain/members/change-member.js';
import { remove } from './contract.js';
import { memberRoute } from './member-route.js';

export const handler = memberRoute(remove, async ({ member, target, table, now }) => {
  await removeMember(table, { actor: member, target, now });
  return { status: 200, body: { success: true } };
});
