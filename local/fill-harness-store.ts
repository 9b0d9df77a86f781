import { findPlatform } from '../scripts/agent-binaries/platforms.js';
import { fillHarnessStore } from '../scripts/harness-store.js';

/**
 * Fills the store of coding agents once, in the background. Until a coding agent is there, and
 * without a registry of packages, a workspace installs its own.
 */
export function fillInBackground(folder: string, log: (line: string) => void): void {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  fillHarnessStore(folder, findPlatform(`linux-${arch}`)).catch((error: unknown) => {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    log(`Coding agents are installed in each workspace, because ${folder} could not be filled: ${reason}`);
  });
}
