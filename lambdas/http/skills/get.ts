// GET /api/projects/{projectId}/skills/{skillId}
import { presetRoute } from '../profiles/preset-route.js';
import { presetView } from '../profiles/preset-view.js';
import { get } from './contract.js';

export const handler = presetRoute(get, 'skill', ({ preset }) => ({ status: 200, body: presetView(preset) }));
