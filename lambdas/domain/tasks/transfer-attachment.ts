import { GetObjectCommand, NoSuchKey, type S3Client } from '@aws-sdk/client-s3';
import { UploadedFiles } from '../../../protocol/workspace-files.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { readOnNode } from '../node-client/file-calls.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { findNodeAddress } from '../node-client/node-address.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { type Attachment, attachmentKey } from './attachment.js';
import { advanceTask } from './change-task.js';
import { AttachmentMissing, WorkspaceNotMade } from './errors.js';
import { loadRun, requireRun, type TaskRun } from './load-task.js';

interface TransferDeps {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly keys: SigningKeys;
  readonly now: Date;
}

/**
 * Copies one attachment of a task into its workspace. Returns the index of the next one, or null
 * after the last. One at a time, so that memory holds one file. A repeat writes the same file
 * again.
 *
 * @throws {TaskEnded | AttachmentMissing | WorkspaceNotMade | NodeUnreachable}
 */
export async function transferAttachment(
  table: Table,
  { index, ...run }: TaskRun & { readonly index: number },
  deps: TransferDeps,
): Promise<number | null> {
  const { now, keys } = deps;
  const task = await loadRun(table, run);
  const guard = (present: typeof task) => requireRun(present, run);
  await advanceTask(table, { task, step: 'attachment_transfer', guard, now });
  const attachment = task.attachments[index];
  if (!attachment) return null;
  const workspace = task.workspaceId ? await findWorkspace(table, task.workspaceId) : undefined;
  if (!workspace || !isUsable(workspace.status)) throw new WorkspaceNotMade(workspace);
  const address = await findNodeAddress(table, workspace.nodeId);
  const form = await formOf(
    attachment,
    await fetchBytes(deps, attachmentKey(task, attachment.uploadId), attachment),
  );
  await readOnNode({ keys, address, now, timeoutMs: nodeTimeouts.work }, workspace, {
    path: 'files/upload',
    body: form,
    reply: UploadedFiles,
  });
  return index + 1 < task.attachments.length ? index + 1 : null;
}

async function fetchBytes(
  { s3, bucket }: TransferDeps,
  Key: string,
  { filename }: Attachment,
): Promise<Uint8Array<ArrayBuffer>> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key })).catch((error: unknown) => {
    throw error instanceof NoSuchKey ? new AttachmentMissing(filename) : error;
  });
  if (!Body) throw new AttachmentMissing(filename);
  return new Uint8Array(await Body.transformToByteArray());
}

async function formOf({ filename, contentType }: Attachment, bytes: Uint8Array<ArrayBuffer>) {
  const form = new FormData();
  // Without a destination the node writes to `attachmentsFolder`, which no caller can name.
  form.append('files', new Blob([bytes], { type: contentType }), filename);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  return { type, content: new Uint8Array(await encoded.arrayBuffer()) };
}
