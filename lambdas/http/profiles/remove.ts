// DELETE /api/projects/{projectId}/agent-profiles/{profileId}
import { deleteProfile } from '../../domain/profiles/create-and-delete.js';
import { remove } from './contract.js';
import { profileRoute } from './profile-routes.js';

export const handler = profileRoute(remove, 'profile', async ({ profile, table }) => {
  await deleteProfile(table, profile);
  return { status: 200, body: { success: true } };
});
