import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addHarnessStore, makeBakePayload } from '../../../scripts/agent-binaries/bake-payload.js';
import { buildRelease } from '../../../scripts/agent-binaries/build-release.js';
import { findPlatform } from '../../../scripts/agent-binaries/platforms.js';
import { runTool } from '../../../scripts/agent-binaries/run-tool.js';
import { signRelease } from '../../../scripts/agent-binaries/sign-release.js';
import { lockedHarnesses } from '../../../scripts/harness-store.js';
import { LocalSigningKeys } from '../../support/local-signing-keys.js';
import { baseImage } from '../agent/docker-engine.js';
import type { EngineNetwork } from './engine-network.js';

export const bakedRelease = 'ba5eba11'.padEnd(40, '0');

/**
 * A node's image, built by the bake script in a container of the distribution, from the payload
 * that Packer uploads. The container stands in for the instance.
 */
export class BakedImage implements AsyncDisposable {
  private constructor(
    readonly name: string,
    /** Output of the bake. */
    readonly log: string,
  ) {}

  static async bake(network: EngineNetwork): Promise<BakedImage> {
    const work = mkdtempSync(join(tmpdir(), 'berth-bake-'));
    const name = `berth-baked-${process.pid}-${Date.now().toString(36)}`;
    try {
      const release = { id: bakedRelease, isModified: false };
      const built = await buildRelease({ release, platforms: [findPlatform('linux-amd64')], parent: work });
      const payload = join(work, 'payload');
      const signed = await signRelease(built, await LocalSigningKeys.create());
      await makeBakePayload(signed, 'amd64', payload);
      // The smallest of them: all together have 1 GB.
      const small = lockedHarnesses().filter(({ type }) => type === 'google-gemini');
      await addHarnessStore(payload, 'amd64', small);
      // Without this capability the firewall rules could not be checked; the container has its own
      // network.
      const run = [
        'run',
        `--name=${name}`,
        `--network=${network.name}`,
        '--cap-add=NET_ADMIN',
        // Docker's packages are not reachable from every machine that runs this test.
        `--env=ENGINE_PACKAGES=${process.env.ENGINE_PACKAGES ?? 'debian'}`,
        `--volume=${payload}:/tmp/bake:ro`,
      ];
      const log = await runTool('docker', [...run, baseImage, 'bash', '/tmp/bake/bake.sh']);
      await runTool('docker', ['commit', name, name]);
      return new BakedImage(name, log);
    } finally {
      await runTool('docker', ['rm', '--force', name]).catch(() => undefined);
      rmSync(work, { recursive: true, force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await runTool('docker', ['image', 'rm', this.name]);
  }
}
