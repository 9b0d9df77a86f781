// provision-workspace: TerminateNode (undo of LaunchNode)
import { NodeHasActiveWorkspaces, NodeNotFound, NodeNotInState } from '../../domain/nodes/errors.js';
import { beginRemoval } from '../../domain/nodes/removal.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { step } from '../../edge/step.js';
import { GenerationInput } from '../inputs.js';

const sagas = sagasOf('remove-node');

/** Only a node that was launched for this workspace, and that holds nothing else by now. */
export const handler = step(
  GenerationInput,
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
  async ({ input: { workspaceId, generation }, table, now, log }) => {
    const workspace = await findWorkspace(table, workspaceId);
    if (!workspace?.nodeId || workspace.generation !== generation) return;
    // It has the files; once it is idle for long it goes all the same.
    if (workspace.restartMode) return;
    const { nodeId } = workspace;
    try {
      const node = await beginRemoval(table, { nodeId, mode: 'delete', launchedFor: workspaceId, now });
      const attempt = node.removal?.attempt ?? 1;
      await sagas.startRemoveNode({ nodeId, mode: 'delete', attempt });
    } catch (error) {
      if (!(error instanceof NodeHasActiveWorkspaces || error instanceof NodeNotInState)) {
        if (!(error instanceof NodeNotFound)) throw error;
      }
      log.info('The node is kept', { nodeId, reason: error.message });
    }
  },
);
