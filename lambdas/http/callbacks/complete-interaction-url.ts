// POST /api/projects/{projectId}/workspaces/{workspaceId}/acp-interactions/{interactionId}
//   …/complete-url
import { completeUrl } from '../../domain/interactions/settle-interaction.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { completeInteractionUrl } from './interaction-contract.js';
import { reportedInteraction } from './reported-interaction.js';

export const handler = workspaceCallbackRoute(completeInteractionUrl, async (call) => {
  const { body, table, now } = call;
  const interaction = await reportedInteraction(call);
  const state = await completeUrl(table, interaction, { elicitationId: body.elicitationId, now });
  return { status: 200, body: { state } };
});
