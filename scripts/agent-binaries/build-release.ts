import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentBinary, buildBinary } from './build-binary.js';
import { type Manifest, manifestOf } from './manifest.js';
import type { Platform } from './platforms.js';
import type { Release } from './release.js';

export interface BuiltRelease {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Builds the binaries of these platforms one after the other (each takes some 400 MB of memory), then the manifest. */
export async function buildRelease(options: {
  readonly release: Release;
  readonly platforms: readonly Platform[];
  readonly parent: string;
  readonly onBuilt?: (binary: AgentBinary) => void;
}): Promise<BuiltRelease> {
  const folder = join(options.parent, options.release.id);
  const binaries: AgentBinary[] = [];
  for (const platform of options.platforms) {
    const binary = await buildBinary(platform, folder);
    binaries.push(binary);
    options.onBuilt?.(binary);
  }
  const manifest = manifestOf(options.release, binaries);
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return { folder, manifest };
}
