import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { addHarnessStore, makeBakePayload } from '../agent-binaries/bake-payload.js';
import type { SignedRelease } from '../agent-binaries/sign-release.js';
import type { ReleaseOptions } from './release-options.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const PackerManifest = z.object({
  builds: z.array(z.object({ artifact_id: z.string() })).check(z.minLength(1)),
});

/**
 * Has Packer bake the image of a release in this region; gives its id. @throws when Packer fails
 */
export async function bakeImage(
  signed: SignedRelease,
  options: ReleaseOptions,
  region: string,
): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'berth-bake-'));
  try {
    const payload = join(work, 'payload');
    const manifest = join(work, 'packer.json');
    await makeBakePayload(signed, options.arch, payload);
    await addHarnessStore(payload, options.arch);
    await packer({
      payload,
      manifest,
      region,
      arch: options.arch,
      release: signed.manifest.release,
      deployment: options.deploymentId,
      workspace_image: options.workspaceImage,
    });
    return bakedImageId(JSON.parse(readFileSync(manifest, 'utf8')));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Packer names it with its region: `us-east-1:ami-0123`. */
export function bakedImageId(manifest: unknown): string {
  const { builds } = PackerManifest.parse(manifest);
  const id = builds.at(-1)?.artifact_id.split(':').at(-1);
  if (!id?.startsWith('ami-')) throw new Error(`Packer made no image, but ${id}`);
  return id;
}

async function packer(variables: Readonly<Record<string, string>>): Promise<void> {
  const args = Object.entries(variables).flatMap(([name, value]) => ['-var', `${name}=${value}`]);
  const child = spawn('packer', ['build', '-color=false', ...args, 'ami'], { cwd: root, stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', () =>
      reject(new Error('Packer is not installed. Debian and Ubuntu have it as `packer`.')),
    );
    child.once('exit', resolve);
  });
  if (code !== 0)
    throw new Error('Packer failed; its own words are above. Nothing was changed for the nodes.');
}
