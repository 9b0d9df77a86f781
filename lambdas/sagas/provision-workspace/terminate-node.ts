// provision-workspace: TerminateNode (undo of LaunchNode)
import * as z from 'zod/mini';
import { undoLaunch } from '../../domain/nodes/undo-launch.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import { step } from '../../edge/step.js';
import { GenerationInput } from '../inputs.js';

const sagas = sagasOf('remove-node');

const Input = z.extend(GenerationInput, { isStopped: z.boolean() });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const { workspaceId, generation, isStopped } = input;
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.nodeId || workspace.generation !== generation) return;
  const { nodeId, restartMode } = workspace;
  const mayHaveFiles = restartMode !== undefined;
  const node = await undoLaunch(table, { nodeId, launchedFor: workspaceId, isStopped, mayHaveFiles, now });
  if (node) {
    const attempt = node.removal?.attempt ?? 1;
    await sagas.startRemoveNode({ nodeId, mode: 'delete', attempt });
  } else log.info('The node is kept', { nodeId });
});
