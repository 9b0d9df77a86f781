// PATCH /api/projects/{projectId}/skills/{skillId}
import { skills } from '../profiles/contract.js';
import { change } from '../profiles/profile-routes.js';

export const handler = change(skills.change, 'skill');
