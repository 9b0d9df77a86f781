// GET /api/projects/{projectId}/agent-profiles/{profileId}
import { profiles } from './contract.js';
import { reading } from './profile-routes.js';

export const handler = reading(profiles.get, 'profile');
