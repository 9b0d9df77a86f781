// POST /api/projects/{projectId}/agent-profiles
import { create } from './contract.js';
import { presetCreation } from './preset-creation.js';

export const handler = presetCreation(create, 'profile');
