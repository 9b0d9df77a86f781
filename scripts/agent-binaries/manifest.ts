import { createRequire } from 'node:module';
import { agentVersion } from '../build-agent.js';
import type { AgentBinary } from './build-binary.js';
import { findPlatform, platformName } from './platforms.js';
import type { Release } from './release.js';

const require = createRequire(import.meta.url);

/**
 * Says of every binary what it is and what it was made from. No time and no machine: a repeat gives
 * the same text.
 */
export function manifestOf(release: Release, binaries: readonly AgentBinary[]) {
  return {
    schemaVersion: 1,
    release: release.id,
    agentVersion: agentVersion(),
    binaries: binaries.map((binary) => ({ ...binary, madeFrom: packagesOf(binary) })),
    provenance: {
      commit: release.id,
      /** True when files of the checkout differed from the commit. */
      modified: release.isModified,
      tools: { node: process.versions.node, esbuild: versionOf('esbuild'), postject: versionOf('postject') },
    },
  };
}
export type Manifest = ReturnType<typeof manifestOf>;

function packagesOf(binary: AgentBinary) {
  const { node, packer, pty } = findPlatform(platformName(binary));
  return { node, packer, pty, nodePty: versionOf('@lydell/node-pty') };
}

function versionOf(name: string): string {
  const { version }: { readonly version: string } = require(`${name}/package.json`);
  return version;
}
