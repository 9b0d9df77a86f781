// DELETE /api/projects/{projectId}/agent-profiles/{profileId}
import { profiles } from './contract.js';
import { removal } from './profile-routes.js';

export const handler = removal(profiles.remove, 'profile');
