// GET /api/projects/{projectId}/skills
import { listProfiles } from '../../domain/profiles/profile-or-skill.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { profileView } from '../profiles/profile-view.js';
import { list } from './contract.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { profiles, nextCursor } = await listProfiles(
    table,
    { kind: 'skill', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { skills: profiles.map(profileView), nextCursor } };
});
