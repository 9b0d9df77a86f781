import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Builds what the package exports as `berth/client`, with its types, into dist/client. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'client')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
