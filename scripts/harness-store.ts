import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmPackage } from './agent-binaries/npm-package.js';
import type { Platform } from './agent-binaries/platforms.js';
import { runTool } from './agent-binaries/run-tool.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** One folder a kind, with the lock file of its package. */
export const harnessLocks = join(root, 'ami/harnesses');

export interface LockedHarness {
  readonly type: string;
  readonly version: string;
  /** File in `node_modules/.bin`. */
  readonly program: string;
}

/** The harnesses with a lock file, in the versions of their package files. */
export function lockedHarnesses(): readonly LockedHarness[] {
  return readdirSync(harnessLocks).map((type) => {
    const file = join(harnessLocks, type, 'package.json');
    const { dependencies, berth } = JSON.parse(readFileSync(file, 'utf8')) as {
      dependencies: Record<string, string>;
      berth: { program: string };
    };
    return { type, version: Object.values(dependencies)[0] ?? '', program: berth.program };
  });
}

/**
 * Fills the store of harnesses in `folder`: exactly the bytes of the lock files, without scripts of
 * packages. A version that is there stays; an interrupted run leaves no half of one.
 */
export async function fillHarnessStore(
  folder: string,
  platform: Platform,
  harnesses = lockedHarnesses(),
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  removeRemains(folder);
  const node = await addNode(folder, platform);
  for (const harness of harnesses) {
    const target = join(folder, harness.type, harness.version);
    if (!existsSync(target)) await addHarness({ folder, target, node }, harness, platform);
  }
}

const anHourMs = 3_600_000;

/** Folders of runs that were interrupted; a younger one may be in use. */
function removeRemains(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('.new-'))) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > anHourMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Returns the name of the folder with the runtime. */
async function addNode(folder: string, { node }: Platform): Promise<string> {
  const name = `node-${node.version}`;
  if (existsSync(join(folder, name))) return name;
  const work = mkdtempSync(join(folder, '.new-'));
  copyFileSync(join(await npmPackage(node, join(root, '.cache/npm')), 'bin/node'), join(work, 'node'));
  chmodSync(join(work, 'node'), 0o755);
  publish(work, join(folder, name));
  return name;
}

interface Place {
  readonly folder: string;
  readonly target: string;
  readonly node: string;
}

async function addHarness(
  { folder, target, node }: Place,
  { type, program }: LockedHarness,
  { os, arch }: Platform,
): Promise<void> {
  const work = mkdtempSync(join(folder, '.new-'));
  try {
    cpSync(join(harnessLocks, type), work, { recursive: true });
    const platform = [`--os=${os}`, `--cpu=${arch === 'amd64' ? 'x64' : 'arm64'}`];
    const libc = os === 'linux' ? ['--libc=glibc'] : [];
    await runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...platform, ...libc], {
      cwd: work,
    });
    symlinkSync(`../../${node}/node`, join(work, 'node'));
    const text = `#!/bin/sh\nhere=\${0%/*}\nexec "$here/node" "$here/node_modules/.bin/${program}" "$@"\n`;
    writeFileSync(join(work, 'run'), text, { mode: 0o755 });
    // Users of workspaces read it, whatever the umask of this process.
    await runTool('chmod', ['-R', 'a+rX', work]);
    mkdirSync(join(folder, type), { recursive: true });
    chmodSync(join(folder, type), 0o755);
    publish(work, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Another process may have been faster; both hold the same bytes. */
function publish(work: string, target: string): void {
  chmodSync(work, 0o755);
  try {
    renameSync(work, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
    rmSync(work, { recursive: true, force: true });
  }
}
