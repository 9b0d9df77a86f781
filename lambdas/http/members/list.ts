// GET /api/projects/{projectId}/members
import { listMembers } from '../../domain/projects/find-membership.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';
import { memberView } from './member-view.js';

export const handler = capabilityRoute(list, async ({ params, project, table, now }) => {
  const members = [...(await listMembers(table, params.projectId))];
  members.sort((one, other) => one.joinedAt.localeCompare(other.joinedAt));
  return { status: 200, body: { members: members.map((member) => memberView(member, { project, now })) } };
});
