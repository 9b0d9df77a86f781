import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';

export class UnsafeFolder extends Error {
  override readonly name = 'UnsafeFolder';
}

/**
 * Unpacks the packages into a private folder below `parent` and returns it, because native code can
 * only be loaded from a file. Reuses an existing folder with the same bytes, and replaces any
 * other. Several processes may do this at once.
 * @throws UnsafeFolder when others may write to `parent`
 */
export function unpackPackages({ hash, files }: PackedPackages, parent: string): string {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  requirePrivate(parent);
  const folder = join(parent, hash);
  if (isWhole(folder, files)) return folder;
  const work = mkdtempSync(`${folder}.`);
  try {
    for (const file of files) writeInto(work, file);
    moveTo(folder, work, files);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function requirePrivate(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const isOurs = uid === process.getuid?.();
  if (!isOurs || (mode & 0o022) !== 0)
    throw new UnsafeFolder(`Others may write to ${folder}; the agent loads no code from there`);
}

function writeInto(folder: string, { path, mode, content }: PackedFile): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  writeFileSync(target, Buffer.from(content, 'base64'), { mode });
}

function moveTo(folder: string, work: string, files: readonly PackedFile[]): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(work, folder);
  } catch (error) {
    // Another process was faster, with the same bytes.
    if (!isWhole(folder, files)) throw error;
  }
}

function isWhole(folder: string, files: readonly PackedFile[]): boolean {
  return existsSync(folder) && files.every((file) => isRight(join(folder, file.path), file));
}

function isRight(path: string, { sha256 }: PackedFile): boolean {
  try {
    const found = lstatSync(path);
    return found.isFile() && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
  } catch {
    return false;
  }
}

export const PackedFile = z.object({
  /** Relative to the folder of the packages. */
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
