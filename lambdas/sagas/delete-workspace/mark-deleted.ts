// delete-workspace: MarkDeleted
import * as z from 'zod/mini';
import { endLastGitToken } from '../../domain/code-host/end-git-tokens.js';
import { dropSnapshot } from '../../domain/snapshots/drop-snapshot.js';
import { confirmDeletion, removeDnsName } from '../../domain/workspaces/confirm-deletion.js';
import { deletionUnconfirmed } from '../../domain/workspaces/errors.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { deletionProofs } from '../../domain/workspaces/workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { nodeZone } from '../../edge/node-zone.js';
import { secretBox } from '../../edge/secret-box.js';
import { step } from '../../edge/step.js';
import { uploads } from '../../shared/clients/uploads.js';
import { GenerationInput } from '../inputs.js';

const Input = z.extend(GenerationInput, { proof: z.nullable(z.enum(deletionProofs)) });

export const handler = step(Input, async ({ input: { workspaceId, proof }, table, now }) => {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace) return;
  await removeDnsName(nodeZone, workspace);
  await dropSnapshot(table, workspaceId, { objects: uploads, now });
  await endLastGitToken({ table, secrets: secretBox, codeHost }, workspace);
  if (proof === null || workspace.status === 'deleted') return;
  if (!(await confirmDeletion(table, workspace, { proof, now }))) {
    throw deletionUnconfirmed('another write changed the workspace first');
  }
});
