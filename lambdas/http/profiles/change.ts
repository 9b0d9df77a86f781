// PATCH /api/projects/{projectId}/agent-profiles/{profileId}
import { changeProfile } from '../../domain/profiles/change-profile.js';
import { secretBox } from '../../edge/secret-box.js';
import { change } from './contract.js';
import { profileRoute } from './profile-routes.js';
import { changeOf, profileView } from './profile-view.js';

export const handler = profileRoute(change, 'profile', async ({ body, profile, table, now }) => {
  const wanted = { ...changeOf(body), name: body.name, version: body.version };
  const changed = await changeProfile({ table, secrets: secretBox }, profile, { change: wanted, now });
  return { status: 200, body: profileView(changed) };
});
