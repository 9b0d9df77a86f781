// POST /api/projects/{projectId}/skills
import { presetCreation } from '../profiles/preset-creation.js';
import { create } from './contract.js';

export const handler = presetCreation(create, 'skill');
