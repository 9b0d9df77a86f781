// PATCH /api/projects/{projectId}/agent-profiles/{profileId}
import { profiles } from './contract.js';
import { change } from './profile-routes.js';

export const handler = change(profiles.change, 'profile');
