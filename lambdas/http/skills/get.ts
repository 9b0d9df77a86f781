// GET /api/projects/{projectId}/skills/{skillId}
import { profileRoute } from '../profiles/profile-routes.js';
import { profileView } from '../profiles/profile-view.js';
import { get } from './contract.js';

export const handler = profileRoute(get, 'skill', ({ profile }) => ({
  status: 200,
  body: profileView(profile),
}));
