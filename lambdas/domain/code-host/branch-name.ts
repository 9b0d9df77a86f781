import * as z from 'zod/mini';

const wrong = 'Not a branch name';

/** As git takes it for a branch, but for blanks of any kind. */
export const BranchName = z.string().check(
  z.minLength(1),
  z.maxLength(255),
  z.regex(/^[^\s\p{Cc}~^:?*[\\/.-][^\s\p{Cc}~^:?*[\\]*$/u, wrong),
  z.refine((name) => !/^(?:@|HEAD)$|\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[/.]$/.test(name), wrong),
);
