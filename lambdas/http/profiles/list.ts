// GET /api/projects/{projectId}/agent-profiles
import { listProfiles } from '../../domain/profiles/profile-or-skill.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';
import { profileView } from './profile-view.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { profiles, nextCursor } = await listProfiles(
    table,
    { kind: 'profile', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { profiles: profiles.map(profileView), nextCursor } };
});
