// GET /api/projects/{projectId}/skills/{skillId}
import { skills } from '../profiles/contract.js';
import { reading } from '../profiles/profile-routes.js';

export const handler = reading(skills.get, 'skill');
