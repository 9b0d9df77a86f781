import type { Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import * as z from 'zod/mini';
import { BuildFailed } from './build-output.js';
import { insideRepository } from './repository-files.js';

const limits = { entries: 10_000, bytes: 512 * 1024 ** 2, features: 100, metadataBytes: 64 * 1024 };
const metadataName = 'devcontainer-feature.json';

const Metadata = z.looseObject({
  id: z.string().check(z.regex(/^[a-z0-9_-]{1,100}$/)),
  dependsOn: z.optional(z.record(z.string(), z.unknown())),
  installsAfter: z.optional(z.array(z.string())),
});

/**
 * Checks all files in the repository's feature folder: the tool copies from it and writes into the
 * copies, also for features that only another feature names.
 * @returns the metadata of each feature as it was checked, by path relative to the repository
 * @throws BuildFailed for links, special files, too many files, and metadata whose id is not its
 * folder's name
 */
export async function checkLocalFeatures(
  repository: string,
  configFolder: string,
): Promise<Readonly<Record<string, string>>> {
  const root = join(repository, featuresRoot);
  const found = await lstat(root).catch(() => null);
  if (found === null) return {};
  await insideRepository(repository, featuresRoot, `The folder ${featuresRoot}`);
  if (!found.isDirectory()) throw new BuildFailed(`${featuresRoot} is not a folder`);
  const checked: [string, string][] = [];
  for (const name of await plainFiles(root)) {
    if (basename(name) !== metadataName) continue;
    if (checked.length === limits.features)
      throw new BuildFailed(`${featuresRoot} has more than ${limits.features} features`);
    const path = join(featuresRoot, name);
    checked.push([path, await checkMetadata(repository, path, configFolder)]);
  }
  return Object.fromEntries(checked);
}

async function plainFiles(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  if (names.length > limits.entries)
    throw new BuildFailed(`${featuresRoot} has more than ${limits.entries} files`);
  const files: string[] = [];
  let bytes = 0;
  for (const name of names) {
    const entry = await lstat(join(root, name));
    if (entry.isDirectory()) continue;
    checkPlain(name, entry);
    bytes += entry.size;
    if (bytes > limits.bytes)
      throw new BuildFailed(`${featuresRoot} is larger than ${limits.bytes / 1024 ** 2} MB`);
    files.push(name);
  }
  return files;
}

function checkPlain(name: string, entry: Stats): void {
  const shown = JSON.stringify(join(featuresRoot, name)).slice(1, -1);
  if (entry.isSymbolicLink())
    throw new BuildFailed(`${shown} is a link. Links are not allowed in the folder ${featuresRoot}`);
  if (!entry.isFile()) throw new BuildFailed(`${shown} is not a plain file`);
}

async function checkMetadata(repository: string, path: string, configFolder: string): Promise<string> {
  const file = join(repository, path);
  if ((await lstat(file)).size > limits.metadataBytes)
    throw new BuildFailed(`${path} is larger than ${limits.metadataBytes / 1024} KB`);
  const metadata = parseMetadata(path, await readFile(file, 'utf8'));
  const folder = basename(dirname(path));
  if (metadata.id !== folder)
    throw new BuildFailed(`${path}: the id must be the name of its folder, "${folder}"`);
  for (const id of [...Object.keys(metadata.dependsOn ?? {}), ...(metadata.installsAfter ?? [])])
    localFeature(id, configFolder);
  return JSON.stringify(metadata);
}

function parseMetadata(path: string, text: string): z.infer<typeof Metadata> {
  try {
    return Metadata.parse(parseJsonWithComments(text));
  } catch (cause) {
    throw new BuildFailed(
      `${path} is not valid: JSON with an id of lower-case letters, digits, "-" and "_" is expected`,
      '',
      { cause },
    );
  }
}

/** Local features must be in this folder; the tool accepts no other. */
const featuresRoot = '.devcontainer';

/**
 * A registry reference, a GitHub release or a built-in name, without characters that can form a
 * path.
 */
const remote =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?::\d+)?(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*(?:[:@][A-Za-z0-9.:_-]+)?$/;
const tarball = /^https:\/\/[^\s\\]+\/devcontainer-feature-[A-Za-z0-9_-]+\.tgz$/;
const local = /^\.{1,2}(?:\/[A-Za-z0-9_.-]+)+\/?$/;

/**
 * The path of a local feature, relative to the repository; null for a remote feature.
 * @param configFolder folder of devcontainer.json, to which local features are relative
 * @throws BuildFailed for an invalid id, and for a local feature outside of `.devcontainer`
 */
export function localFeature(id: string, configFolder: string): string | null {
  if (local.test(id)) {
    const path = posix.join(configFolder, id).replace(/\/$/, '');
    if (path.startsWith(`${featuresRoot}/`)) return path;
    throw new BuildFailed(`Feature ${id} is outside of the folder ${featuresRoot}. Move it there`);
  }
  if (remote.test(id) || tarball.test(id)) return null;
  throw new BuildFailed(
    `"${id.slice(0, 200)}" is not a valid feature id. Use ./<folder>, a registry reference or the https URL of a tarball`,
  );
}

// An unterminated string or comment ends at the end of the text, so that the scan is linear.
const jsonString = String.raw`("(?:\\[\s\S]?|[^"\\])*(?:"|$))`;
const stringOrComment = new RegExp(String.raw`${jsonString}|//[^\n\r]*|/\*[\s\S]*?(?:\*/|$)`, 'g');
const stringOrTrailingComma = new RegExp(String.raw`${jsonString}|,(?=\s*[}\]])`, 'g');

/**
 * Parses JSON with comments and trailing commas. Drops keys named `__proto__`.
 * @throws SyntaxError
 */
export function parseJsonWithComments(source: string): unknown {
  const plain = source
    .replace(/^\uFEFF/, '')
    .replace(stringOrComment, '$1')
    .replace(stringOrTrailingComma, '$1');
  return JSON.parse(plain, (key, value) => (key === '__proto__' ? undefined : value));
}
