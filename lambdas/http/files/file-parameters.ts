import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';

/** Path parameters of the contracts of files and git. */
export const sessionParams = z.object({ projectId: Ulid, sessionId: Ulid });

/** Besides 404 for people who are not members, and 403 for members who do not own the workspace. */
export const fileErrors = ['WORKSPACE_NOT_RUNNING', 'SERVICE_UNAVAILABLE'] as const;

/**
 * The limit of a file in one request or response of a function. Lambda takes and returns 6 MB, and
 * bytes are base64 there: 4 MiB are 5.6 MB.
 */
export const maxProxiedBytes = 4 * 1024 * 1024;
const maxLength = 4_096;
const isPlain = (path: string): boolean =>
  path.split('/').every((segment) => !['', '.', '..'].includes(segment));

/** A path relative to the root of the repository. */
export const FilePath = z.pipe(
  z.pipe(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(maxLength),
        z.regex(/^[^\p{Cc}]*$/u, 'Must be a path without control characters'),
      ),
    z.transform((path: string) => path.replaceAll('\\', '/')),
  ),
  z
    .string()
    .check(
      z.refine(
        isPlain,
        `Must be a path relative to the root of the repository, without empty segments, "." and ".."`,
      ),
    ),
);
