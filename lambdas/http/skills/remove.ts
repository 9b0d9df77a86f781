// DELETE /api/projects/{projectId}/skills/{skillId}
import { skills } from '../profiles/contract.js';
import { removal } from '../profiles/profile-routes.js';

export const handler = removal(skills.remove, 'skill');
