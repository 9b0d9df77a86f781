import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset } from 'node:sea';
import type * as NodePty from '@lydell/node-pty';
import { PackedPackages, packagesAsset } from './packed-packages.js';
import { unpackPackages } from './unpack-packages.js';

/** Takes the place of `@lydell/node-pty` in the single executable, which has no node_modules beside it. */
let loaded: typeof NodePty | undefined;

export const spawn: typeof NodePty.spawn = (file, args, options) => {
  loaded ??= load();
  return loaded.spawn(file, args, options);
};

function load(): typeof NodePty {
  const packages = PackedPackages.parse(JSON.parse(getAsset(packagesAsset, 'utf8')));
  const stateDir = process.env.VM_AGENT_STATE_DIR?.trim() || '/var/lib/vm-agent';
  const folder = unpackPackages(packages, join(stateDir, 'native'));
  return createRequire(join(folder, 'packages.cjs'))('@lydell/node-pty');
}
