// provision-workspace: TerminateNode (undo of LaunchNode)
import { NodeHasActiveWorkspaces, NodeNotFound, NodeNotInState } from '../../domain/nodes/errors.js';
import { beginRemoval } from '../../domain/nodes/removal.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { step } from '../../edge/step.js';
import { GenerationInput } from '../inputs.js';

const sagas = sagasOf('remove-node');

const isKept = (error: unknown): error is Error =>
  [NodeHasActiveWorkspaces, NodeNotInState, NodeNotFound].some((kind) => error instanceof kind);

/** Removes only a node that was launched for this workspace and holds no other workspace. */
export const handler = step(
  GenerationInput,
  async ({ input: { workspaceId, generation }, table, now, log }) => {
    const workspace = await findWorkspace(table, workspaceId);
    if (!workspace?.nodeId || workspace.generation !== generation) return;
    // The node has the files of the workspace. The sweep removes it when it is idle for long.
    if (workspace.restartMode) return;
    const { nodeId } = workspace;
    try {
      const node = await beginRemoval(table, { nodeId, mode: 'delete', launchedFor: workspaceId, now });
      const attempt = node.removal?.attempt ?? 1;
      await sagas.startRemoveNode({ nodeId, mode: 'delete', attempt });
    } catch (error) {
      if (!isKept(error)) throw error;
      log.info('The node is kept', { nodeId, reason: error.message });
    }
  },
);
