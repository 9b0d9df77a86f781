// GET /api/projects/{projectId}/agent-profiles
import { listProfiles } from '../../domain/profiles/profile-or-skill.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { profiles } from './contract.js';
import { profileView } from './profile-view.js';

export const handler = capabilityRoute(profiles.list, async ({ params, query, user, table }) => {
  const page = await listProfiles(
    table,
    { kind: 'profile', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { profiles: page.profiles.map(profileView), nextCursor: page.nextCursor } };
});
