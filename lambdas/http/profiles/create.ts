// POST /api/projects/{projectId}/agent-profiles
import { profiles } from './contract.js';
import { creation } from './profile-routes.js';

export const handler = creation(profiles.create, 'profile');
