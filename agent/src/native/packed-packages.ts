import * as z from 'zod/mini';

export const PackedFile = z.object({
  /** Below the folder that they are unpacked into. */
  path: z.string().check(z.regex(/^node_modules\/(?:[\w@-][\w@.-]*\/)+[\w.-]+$/)),
  mode: z.int(),
  sha256: z.string(),
  /** Base64. */
  content: z.string(),
});
export type PackedFile = z.infer<typeof PackedFile>;

/** Packages with native code, as the executable carries them. */
export const PackedPackages = z.object({
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  files: z.array(PackedFile),
});
export type PackedPackages = z.infer<typeof PackedPackages>;

/** The name under which the executable carries them. */
export const packagesAsset = 'packages.json';
