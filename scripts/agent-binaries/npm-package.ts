import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PinnedPackage } from './platforms.js';
import { runTool } from './run-tool.js';

/**
 * The folder of an npm package, without its headers and manuals. It is fetched once by npm itself,
 * so that its settings (registry, proxy, certificates) hold, and kept below `cache`.
 * @throws when its bytes are not the pinned ones
 */
export async function npmPackage(pin: PinnedPackage, cache: string): Promise<string> {
  const folder = join(cache, `${pin.name.replace('/', '-').replace('@', '')}-${pin.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${folder}.`);
  try {
    await runTool('npm', ['pack', '--silent', '--pack-destination', work, `${pin.name}@${pin.version}`]);
    const archive = join(work, readdirSync(work).find((name) => name.endsWith('.tgz')) ?? 'nothing.tgz');
    requireIntegrity(pin, archive);
    await runTool('tar', [
      '-xzf',
      archive,
      '-C',
      work,
      '--no-same-owner',
      ...['package/include', 'package/share'].map((path) => `--exclude=${path}`),
    ]);
    keep(join(work, 'package'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function requireIntegrity({ name, version, integrity }: PinnedPackage, archive: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version} is ${found}, and not the pinned ${integrity}`);
}

/** Another build may have been faster; both hold the same bytes. */
function keep(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
