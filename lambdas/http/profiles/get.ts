// GET /api/projects/{projectId}/agent-profiles/{profileId}

import { get } from './contract.js';
import { presetRoute } from './preset-route.js';
import { presetView } from './preset-view.js';

export const handler = presetRoute(get, 'profile', ({ preset }) => ({
  status: 200,
  body: presetView(preset),
}));
