// stop-workspace: MarkStopped
import { endLastGitToken } from '../../domain/code-host/end-git-tokens.js';
import { dropSnapshot } from '../../domain/snapshots/drop-snapshot.js';
import { removeDnsName } from '../../domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { markStopped } from '../../domain/workspaces/stopping.js';
import { codeHost } from '../../edge/code-host.js';
import { nodeZone } from '../../edge/node-zone.js';
import { secretBox } from '../../edge/secret-box.js';
import { step } from '../../edge/step.js';
import { uploads } from '../../shared/clients/uploads.js';
import { GenerationEndInput } from '../inputs.js';

export const handler = step(GenerationEndInput, async ({ input, table, now }) => {
  await markStopped(table, input, { nodeConfirmed: input.nodeConfirmed, now });
  const workspace = await findWorkspace(table, input.workspaceId);
  if (workspace?.generation !== input.generation) return;
  await removeDnsName(nodeZone, workspace);
  await dropSnapshot(table, input.workspaceId, { objects: uploads, now });
  // A program in the workspace may have copied the token.
  await endLastGitToken({ table, secrets: secretBox, codeHost }, workspace);
});
