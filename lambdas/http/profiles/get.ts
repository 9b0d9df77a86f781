// GET /api/projects/{projectId}/agent-profiles/{profileId}

import { get } from './contract.js';
import { profileRoute } from './profile-routes.js';
import { profileView } from './profile-view.js';

export const handler = profileRoute(get, 'profile', ({ profile }) => ({
  status: 200,
  body: profileView(profile),
}));
