import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { addHarnessStore, makeBakePayload } from '../agent-binaries/bake-payload.js';
import type { SignedRelease } from '../agent-binaries/sign-release.js';
import { buildWithPacker } from './packer.js';
import type { ReleaseOptions } from './release-options.js';

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
    await buildWithPacker({
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
