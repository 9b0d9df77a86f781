// POST /api/projects/{projectId}/workspaces/{workspaceId}/acp-interactions/{interactionId}/settle
import { settleInteraction as settle } from '../../domain/interactions/settle-interaction.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { settleInteraction } from './interaction-contract.js';
import { reportedInteraction } from './reported-interaction.js';

export const handler = workspaceCallbackRoute(settleInteraction, async (call) => {
  const { body, table, now } = call;
  const interaction = await reportedInteraction(call);
  return { status: 200, body: { state: await settle(table, interaction, { reason: body.reason, now }) } };
});
