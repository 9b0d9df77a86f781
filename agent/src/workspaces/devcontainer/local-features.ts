import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { BuildFailed } from './build-failed.js';
import { featuresRoot, localFeature } from './feature-id.js';
import { insideRepository } from './inside-repository.js';
import { parseJsonWithComments } from './json-with-comments.js';

const limits = { entries: 10_000, bytes: 512 * 1024 ** 2, features: 100, metadataBytes: 64 * 1024 };
const metadataName = 'devcontainer-feature.json';

const Metadata = z.looseObject({
  id: z.string().check(z.regex(/^[a-z0-9_-]{1,100}$/)),
  dependsOn: z.optional(z.record(z.string(), z.unknown())),
  installsAfter: z.optional(z.array(z.string())),
});

/**
 * Checks everything in the folder of the repository's features: the tool copies from it and writes into the copies,
 * also for features that only another feature names.
 * @returns the metadata of each feature in the form in which it was checked, by path relative to the repository
 * @throws BuildFailed for links and special files, too many files, and metadata with another id than its folder's name
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
    const shown = JSON.stringify(join(featuresRoot, name)).slice(1, -1);
    if (entry.isSymbolicLink())
      throw new BuildFailed(`${shown} is a link. Links are not allowed in the folder ${featuresRoot}`);
    if (!entry.isFile()) throw new BuildFailed(`${shown} is not a plain file`);
    bytes += entry.size;
    if (bytes > limits.bytes)
      throw new BuildFailed(`${featuresRoot} is larger than ${limits.bytes / 1024 ** 2} MB`);
    files.push(name);
  }
  return files;
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
