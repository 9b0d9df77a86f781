import { posix } from 'node:path';
import { BuildFailed } from './build-failed.js';

/** Features of the repository itself lie in this folder; the tool accepts them from nowhere else. */
export const featuresRoot = '.devcontainer';

/** A reference to a registry, a GitHub release or a built-in name, in characters that no path tricks can be made of. */
const remote =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?::\d+)?(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*(?:[:@][A-Za-z0-9.:_-]+)?$/;
const tarball = /^https:\/\/[^\s\\]+\/devcontainer-feature-[A-Za-z0-9_-]+\.tgz$/;
const local = /^\.{1,2}(?:\/[A-Za-z0-9_.-]+)+\/?$/;

/**
 * The path of a local feature, relative to the repository; null for a feature from elsewhere.
 * @param configFolder of devcontainer.json, to which local features are relative
 * @throws BuildFailed for an id of any other form, and for a local feature outside of `.devcontainer`
 */
export function localFeature(id: string, configFolder: string): string | null {
  if (local.test(id)) {
    const path = posix.join(configFolder, id).replace(/\/$/, '');
    if (path.startsWith(`${featuresRoot}/`)) return path;
    throw new BuildFailed(`The feature ${id} is not in the folder ${featuresRoot}`);
  }
  if (remote.test(id) || tarball.test(id)) return null;
  throw new BuildFailed(
    `"${id.slice(0, 200)}" is not a valid feature id. Use ./<folder>, a registry reference or the https URL of a tarball`,
  );
}
