// DELETE /api/projects/{projectId}/skills/{skillId}
import { deleteProfile } from '../../domain/profiles/create-and-delete.js';
import { profileRoute } from '../profiles/profile-routes.js';
import { remove } from './contract.js';

export const handler = profileRoute(remove, 'skill', async ({ profile, table }) => {
  await deleteProfile(table, profile);
  return { status: 200, body: { success: true } };
});
