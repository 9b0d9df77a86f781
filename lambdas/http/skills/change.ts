// PATCH /api/projects/{projectId}/skills/{skillId}
import { changeProfile } from '../../domain/profiles/change-profile.js';
import { secretBox } from '../../edge/secret-box.js';
import { profileRoute } from '../profiles/profile-routes.js';
import { changeOf, profileView } from '../profiles/profile-view.js';
import { change } from './contract.js';

export const handler = profileRoute(change, 'skill', async ({ body, profile, table, now }) => {
  const wanted = { ...changeOf(body), name: body.name, version: body.version };
  const changed = await changeProfile({ table, secrets: secretBox }, profile, { change: wanted, now });
  return { status: 200, body: profileView(changed) };
});
