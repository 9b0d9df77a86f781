import { posix } from 'node:path';
import type { HarnessKind } from './harness-kind.js';

/** Mount point of the node's harness store in containers. */
export const harnessMount = '/opt/berth/harnesses';

/** Folder of this version of a kind in the store; null for a kind that a store never has. */
export function storeFolder(store: string, { type, installs }: HarnessKind): string | null {
  const [install, ...others] = installs;
  if (install?.by !== 'npm' || others.length > 0) return null;
  const version = install.packages[0]?.split('@').at(-1) ?? '';
  return posix.join(store, type, version);
}

/**
 * \`$1\`: folder of a kind in the store. Succeeds when this version is there and its Node runs in
 * the image, which needs the C library that the store was filled for.
 */
export const storeProbe = '[ -x "$1/run" ] && "$1/node" --version >/dev/null 2>&1';
