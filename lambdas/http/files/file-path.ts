import * as z from 'zod/mini';

const maxLength = 4_096;
const isPlain = (path: string): boolean =>
  path.length <= maxLength &&
  !/\p{Cc}/u.test(path) &&
  path.split('/').every((segment) => !['', '.', '..'].includes(segment));

/** A path from the repository on. */
export const FilePath = z.pipe(
  z.pipe(
    z.string(),
    z.transform((path: string) => path.replaceAll('\\', '/')),
  ),
  z
    .string()
    .check(
      z.refine(
        isPlain,
        `A path from the repository on, of at most ${maxLength} characters, without empty parts, "." and ".."`,
      ),
    ),
);
