// PUT /api/settings/agents
import { storeUserSettings } from '../../domain/launch/load-layers.js';
import { sessionRoute } from '../../edge/session-route.js';
import { storeAgents } from './contract.js';

export const handler = sessionRoute(storeAgents, async ({ body, user, table, now }) => {
  const settings = await storeUserSettings(table, { userId: user.userId, settings: body, now });
  return { status: 200, body: { settings } };
});
