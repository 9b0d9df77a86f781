// POST /api/projects/{projectId}/agent-profiles
import { create } from './contract.js';
import { profileCreation } from './profile-routes.js';

export const handler = profileCreation(create, 'profile');
