import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentBinary, buildBinary } from './build-binary.js';
import { type Manifest, manifestOf } from './manifest.js';
import type { Platform } from './platforms.js';
import type { Release } from './release.js';
import { sbomOf } from './sbom.js';

export interface BuiltRelease {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Builds the binaries of these platforms one after the other (each takes some 400 MB of memory),
 * then the list of what they are made of and the manifest.
 */
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
  const write = (name: string, content: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  write('sbom.cdx.json', sbomOf(options.release, manifest.agentVersion));
  write('manifest.json', manifest);
  return { folder, manifest };
}
