// POST /api/projects/{projectId}/skills
import { skills } from '../profiles/contract.js';
import { creation } from '../profiles/profile-routes.js';

export const handler = creation(skills.create, 'skill');
