import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillHarnessStore, type LockedHarness, lockedHarnesses } from '../harness-store.js';
import { npmPackage } from './npm-package.js';
import { findPlatform } from './platforms.js';
import { runTool } from './run-tool.js';
import type { SignedRelease } from './sign-release.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Gathers in `folder` all that the bake needs beside the distribution's packages: the script, the
 * files of the image, the agent with its signature, and the dev container CLI with a Node runtime
 * for it.
 */
export async function makeBakePayload(
  { folder: binaries, manifest, signature, keys }: SignedRelease,
  arch: 'amd64' | 'arm64',
  folder: string,
): Promise<void> {
  const platform = findPlatform(`linux-${arch}`);
  const node = await npmPackage(platform.node, join(root, '.cache/npm'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['bake.sh', 'engine.sh']) cpSync(join(root, 'ami', name), join(folder, name));
  cpSync(join(root, 'ami/files'), join(folder, 'files'), { recursive: true });
  cpSync(join(root, 'node_modules/@devcontainers/cli'), join(folder, 'devcontainers'), { recursive: true });
  cpSync(join(node, 'bin/node'), join(folder, 'node'));
  cpSync(join(binaries, `vm-agent-linux-${arch}`), join(folder, 'vm-agent'));
  for (const name of ['bake.sh', 'node', 'vm-agent']) chmodSync(join(folder, name), 0o755);
  writeFileSync(join(folder, 'manifest.jws'), signature);
  writeFileSync(join(folder, 'release-keys.json'), `${JSON.stringify({ keys }, null, 2)}\n`);
  const { release, agentVersion } = manifest;
  writeFileSync(
    join(folder, 'release.env'),
    `RELEASE=${release}\nAGENT_VERSION=${agentVersion}\nARCH=${arch}\n`,
  );
}

/** Adds the store of coding agents: one archive, because an upload would follow its links. */
export async function addHarnessStore(
  folder: string,
  arch: 'amd64' | 'arm64',
  harnesses: readonly LockedHarness[] = lockedHarnesses(),
): Promise<void> {
  const store = join(folder, '.harnesses');
  await fillHarnessStore(store, findPlatform(`linux-${arch}`), harnesses);
  await runTool('tar', ['-cf', join(folder, 'harnesses.tar'), '-C', store, '.']);
  rmSync(store, { recursive: true, force: true });
}
