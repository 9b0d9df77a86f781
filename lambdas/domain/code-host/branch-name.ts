import * as z from 'zod/mini';

/** As git takes it for a branch, but for blanks of any kind. */
export const BranchName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(255),
    z.regex(
      /^(?!@$|HEAD$|[-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\s\p{Cc}~^:?*[\\]+(?<![/.])$/u,
      'Not a branch name',
    ),
  );
