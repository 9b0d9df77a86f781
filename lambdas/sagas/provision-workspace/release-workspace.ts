// provision-workspace: ReleaseWorkspace (undo of PlaceWorkspace)
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { releasePlace } from '../../domain/workspaces/release-place.js';
import { retractName } from '../../domain/workspaces/retract-name.js';
import { nodeZone } from '../../edge/node-zone.js';
import { step } from '../../edge/step.js';
import { LifeEnd } from '../life.js';

export const handler = step(LifeEnd, async ({ input, table, now }) => {
  await releasePlace(table, input, { heard: input.heard, now });
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.generation === input.generation) await retractName(nodeZone, workspace);
});
