import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Task } from './task.js';

export const maxAttachments = 20;
export const maxAttachmentBytes = 50 * 1024 ** 2;
export const maxAttachmentsBytes = 200 * 1024 ** 2;
export const uploadSeconds = 900;
/** What a file system takes. */
const maxNameBytes = 255;

/** A file that was uploaded before the task it is for. */
export const Attachment = z.strictObject({
  uploadId: Ulid,
  filename: z.string().check(
    z.minLength(1),
    z.maxLength(maxNameBytes),
    z.regex(/^(?!\.{1,2}$)[^/\\\p{Cc}]+$/u, 'Not a file name'),
    z.refine((name) => Buffer.byteLength(name) <= maxNameBytes, `At most ${maxNameBytes} bytes`),
  ),
  size: z.int().check(z.gte(1), z.lte(maxAttachmentBytes)),
  contentType: z.string().check(z.maxLength(255), z.regex(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/)),
});
export type Attachment = z.infer<typeof Attachment>;

export const Attachments = z.array(Attachment).check(
  z.maxLength(maxAttachments),
  z.refine(
    (all) => all.reduce((sum, { size }) => sum + size, 0) <= maxAttachmentsBytes,
    'More than 200 MiB together',
  ),
  z.refine((all) => new Set(all.map(({ filename }) => filename)).size === all.length, 'Two of one name'),
);

export const attachmentsPrefix = 'attachments';

/** Below who uploaded it, so that nobody else can attach it by its id. */
export const attachmentKey = (
  { projectId, userId }: Pick<Task, 'projectId' | 'userId'>,
  uploadId: string,
): string => `${attachmentsPrefix}/${projectId}/${userId}/${uploadId}`;

/** Beside the repository in the workspace, so that it is not committed by accident. */
export const attachmentsFolder = '../.private';
