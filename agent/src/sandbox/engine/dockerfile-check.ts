import { baseImages } from './base-images.js';
import { buildKitNeed } from './buildkit-instructions.js';
import { type AllowedHosts, registryObstacle } from './engine-hosts.js';
import type { EngineImages } from './engine-images.js';
import { isReadableName } from './image-name.js';
import { remoteSource } from './remote-sources.js';

interface DockerfileCheckOptions {
  readonly workspaceId: string;
  readonly allowedHosts: AllowedHosts;
  readonly images: Pick<EngineImages, 'onBuild'>;
  readonly buildArguments: ReadonlyMap<string, string>;
  readonly platform: string | null;
  /** Whether BuildKit builds; the classic builder refuses or ignores its instructions. */
  readonly hasBuildKit: boolean;
}

export class BuildRefused extends Error {}

/** The Dockerfile needs BuildKit; another builder can build it. */
export class BuildKitNeeded extends BuildRefused {}

/**
 * Checks what the engine itself would do for a Dockerfile, outside of the containers of the build:
 * fetch files and images. Base images add instructions of their own. Returns the images that the
 * build may use.
 * @throws BuildRefused
 */
export async function checkDockerfile(
  dockerfile: string,
  options: DockerfileCheckOptions,
): Promise<readonly string[]> {
  checkInstructions(dockerfile, options);
  const images: string[] = [];
  for (const { text, name, platform } of baseImages(dockerfile, options.buildArguments)) {
    const usable = await usableName({ text, name }, options);
    const instructions = await options.images.onBuild(usable, platform || options.platform);
    if (instructions === null) throw new BuildRefused(`image ${text.slice(0, 200)} cannot be pulled`);
    images.push(usable);
    for (const instruction of instructions) images.push(...(await checkOnBuild(instruction, options)));
  }
  return images;
}

function checkInstructions(text: string, { allowedHosts, hasBuildKit }: DockerfileCheckOptions): void {
  refuse(remoteSource(text, allowedHosts));
  const need = hasBuildKit ? null : buildKitNeed(text);
  if (need !== null) throw new BuildKitNeeded(need);
}

type Named = Pick<ReturnType<typeof baseImages>[number], 'text' | 'name'>;

async function usableName({ text, name }: Named, options: DockerfileCheckOptions): Promise<string> {
  const shown = text.slice(0, 200);
  if (name === null) throw new BuildRefused(`image ${shown}: write its name with plain variables only`);
  if (!isReadableName(name, options))
    throw new BuildRefused(`image ${shown} is not the name of a usable image`);
  refuse(await registryObstacle(name, options.allowedHosts));
  return name;
}

/** The engine runs no instruction of ONBUILD of an image in COPY --from. */
async function checkOnBuild(
  instruction: string,
  options: DockerfileCheckOptions,
): Promise<readonly string[]> {
  checkInstructions(instruction, options);
  const images = baseImages(instruction, new Map());
  return Promise.all(images.map((image) => usableName(image, options)));
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new BuildRefused(reason);
}
