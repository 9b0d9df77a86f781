// GET /api/settings/agents
import { findUserSettings } from '../../domain/launch/load-layers.js';
import { sessionRoute } from '../../edge/session-route.js';
import { agents } from './contract.js';

export const handler = sessionRoute(agents, async ({ user, table }) => ({
  status: 200,
  body: { settings: await findUserSettings(table, user.userId) },
}));
