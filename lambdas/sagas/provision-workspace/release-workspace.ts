// provision-workspace: ReleaseWorkspace (undo of PlaceWorkspace)

import { removeDnsName } from '../../domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { releaseWorkspaceSlot } from '../../domain/workspaces/release-slot.js';
import { nodeZone } from '../../edge/node-zone.js';
import { step } from '../../edge/step.js';
import { GenerationEndInput } from '../inputs.js';

export const handler = step(GenerationEndInput, async ({ input, table, now }) => {
  await releaseWorkspaceSlot(table, input, { nodeConfirmed: input.nodeConfirmed, now });
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.generation === input.generation) await removeDnsName(nodeZone, workspace);
});
