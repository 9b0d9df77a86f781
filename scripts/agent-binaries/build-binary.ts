import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagesAsset } from '../../agent/src/node/native-packages.js';
import { buildPackedAgent } from '../build-agent.js';
import { npmPackage } from './npm-package.js';
import { packPackages } from './packed-packages.js';
import { type Platform, platformName } from './platforms.js';
import { runTool } from './run-tool.js';
import { signMacho } from './sign-macho.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, '.cache/npm');

/** Node's own mark of the place where it looks for a packed program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export interface AgentBinary {
  readonly os: Platform['os'];
  readonly arch: Platform['arch'];
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Makes the agent's executable of a platform in `folder`: a Node runtime with the bundle and the
 * native packages inside. The same commit gives the same bytes, wherever it is built.
 */
export async function buildBinary(platform: Platform, folder: string): Promise<AgentBinary> {
  const { os, arch } = platform;
  const file = `vm-agent-${platformName(platform)}`;
  const work = mkdtempSync(join(tmpdir(), 'berth-agent-'));
  try {
    const blob = await pack(platform, work);
    const made = join(work, file);
    copyFileSync(join(await npmPackage(platform.node, cache), 'bin/node'), made);
    await inject(made, blob);
    if (os === 'darwin') writeFileSync(made, signMacho(readFileSync(made), 'vm-agent'));
    const content = readFileSync(made);
    mkdirSync(folder, { recursive: true });
    place(made, join(folder, file));
    return {
      os,
      arch,
      file,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Names are relative to `work`: the packed program remembers them. */
async function pack(platform: Platform, work: string): Promise<string> {
  const [packer, pty] = await Promise.all([
    npmPackage(platform.packer, cache),
    npmPackage(platform.pty, cache),
    buildPackedAgent(join(work, 'agent.cjs')),
  ]);
  const packages = packPackages([
    { name: '@lydell/node-pty', folder: join(root, 'node_modules/@lydell/node-pty') },
    { name: platform.pty.name, folder: pty },
  ]);
  writeFileSync(join(work, packagesAsset), JSON.stringify(packages));
  const config = {
    main: 'agent.cjs',
    output: 'agent.blob',
    disableExperimentalSEAWarning: true,
    // Both hold machine code, and this machine is not the one that will run it.
    useSnapshot: false,
    useCodeCache: false,
    assets: { [packagesAsset]: packagesAsset },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  await runTool(join(packer, 'bin/node'), ['--experimental-sea-config', 'sea.json'], { cwd: work });
  return join(work, config.output);
}

async function inject(binary: string, blob: string): Promise<void> {
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  const names = ['--sentinel-fuse', fuse, '--macho-segment-name', 'NODE_SEA'];
  await runTool(process.execPath, [postject, binary, 'NODE_SEA_BLOB', blob, ...names]);
}

/** Under its name only when it is whole; the two folders may be on different disks. */
function place(from: string, to: string): void {
  copyFileSync(from, `${to}.part`);
  renameSync(`${to}.part`, to);
}
