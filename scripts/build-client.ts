import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');

/** Builds what the package exports as `berth/client`, with its types. */
export async function buildClient(outdir: string): Promise<void> {
  await promisify(execFile)(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...['-p', join(root, 'client'), '--outDir', outdir],
  ]);
}
