import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Task } from './task.js';

const maxAttachments = 20;
const maxAttachmentBytes = 50 * 1024 ** 2;
const maxAttachmentsBytes = 200 * 1024 ** 2;
export const uploadSeconds = 900;

/** Limit of file systems. */
const maxNameBytes = 255;

/** A file that was uploaded before its task was submitted. */
export const Attachment = z.strictObject({
  uploadId: Ulid,
  filename: z.string().check(
    z.minLength(1),
    z.maxLength(maxNameBytes),
    z.regex(/^[^/\\\p{Cc}]+$/u, 'Not a file name'),
    z.refine((name) => name !== '.' && name !== '..', 'Not a file name'),
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
    'The attachments have more than 200 MiB together (limit 200 MiB)',
  ),
  z.refine(
    (all) => new Set(all.map(({ filename }) => filename)).size === all.length,
    'Two attachments have the same filename',
  ),
);

const attachmentsPrefix = 'attachments';

/** Below the uploader's id, so that only the uploader can attach it. */
export const attachmentKey = (
  { projectId, userId }: Pick<Task, 'projectId' | 'userId'>,
  uploadId: string,
): string => `${attachmentsPrefix}/${projectId}/${userId}/${uploadId}`;

/** Beside the repository, so that it is not committed. */
export const attachmentsFolder = '../.private';
