// POST /api/projects/{projectId}/workspaces/{workspaceId}/acp-interactions
import { createInteraction as create } from '../../domain/interactions/create-interaction.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { secretBox as secrets } from '../../edge/secret-box.js';
import { createInteraction } from './interaction-contract.js';

export const handler = workspaceCallbackRoute(createInteraction, async (call) => {
  const { params, body: request, workspaceId, nodeId, generation, table, now } = call;
  const reporter = { workspaceId, nodeId, generation, projectId: params.projectId };
  const { status, interaction } = await create({ table, secrets }, { ...reporter, request, now });
  const body = { status, deadlineAt: Date.parse(interaction.deadlineAt) };
  return status === 'created' ? { status: 201, body } : { status: 200, body };
});
