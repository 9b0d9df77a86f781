// POST /api/projects/{projectId}/skills
import { profileCreation } from '../profiles/profile-routes.js';
import { create } from './contract.js';

export const handler = profileCreation(create, 'skill');
