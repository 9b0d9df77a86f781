// GET /api/projects/{projectId}/skills
import { listProfiles } from '../../domain/profiles/profile-or-skill.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { skills } from '../profiles/contract.js';
import { profileView } from '../profiles/profile-view.js';

export const handler = capabilityRoute(skills.list, async ({ params, query, user, table }) => {
  const page = await listProfiles(
    table,
    { kind: 'skill', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { skills: page.profiles.map(profileView), nextCursor: page.nextCursor } };
});
