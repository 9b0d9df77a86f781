import { interactionConflict } from '../../domain/interactions/errors.js';
import type { Interaction } from '../../domain/interactions/interaction.js';
import { type InteractionReporter, loadReported } from '../../domain/interactions/load-interaction.js';
import type { ByWorkspace } from '../../edge/callback-routes.js';

interface Report extends ByWorkspace {
  readonly params: { readonly projectId: string; readonly interactionId: string };
  readonly body: InteractionReporter['waiter'];
}

/**
 * The interaction that path and body name. Two table calls.
 *
 * @throws {NotFound | StaleGeneration | interactionConflict}
 */
export async function reportedInteraction(call: Report): Promise<Interaction> {
  const { params, body: waiter, workspaceId, nodeId, generation, table } = call;
  if (waiter.interactionId !== params.interactionId) throw interactionConflict();
  return loadReported(table, { workspaceId, nodeId, generation, projectId: params.projectId, waiter });
}
