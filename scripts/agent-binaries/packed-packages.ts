import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PackedFile, PackedPackages } from '../../agent/src/node/native-packages.js';

interface PackageFolder {
  /** As it is imported. */
  readonly name: string;
  readonly folder: string;
}

const isWanted = (path: string): boolean =>
  /^(?:package\.json|LICENSE|.+\.(?:js|node)|spawn-helper)$/.test(path);

/**
 * What native code needs around it to be loaded from a folder, in one piece that the executable
 * carries.
 */
export function packPackages(packages: readonly PackageFolder[]): PackedPackages {
  const files = packages.flatMap(packFolder).sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, mode, sha256 } of files) hash.update(`${path}\0${mode}\0${sha256}\n`);
  return { hash: hash.digest('hex'), files };
}

function packFolder({ name, folder }: PackageFolder): PackedFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => isWanted(path) && statSync(join(folder, path)).isFile(),
  );
  return paths.map((path) => {
    const content = readFileSync(join(folder, path));
    return {
      path: `node_modules/${name}/${path}`,
      // Git and npm know no more of a mode than this; the rest is the umask of whoever unpacked it.
      mode: statSync(join(folder, path)).mode & 0o100 ? 0o700 : 0o600,
      sha256: createHash('sha256').update(content).digest('hex'),
      content: content.toString('base64'),
    };
  });
}
