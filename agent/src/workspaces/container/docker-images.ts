import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { DockerError, ignoringStatus } from './docker-errors.js';

const notThere = [404];
/** 409: a container uses the image, or other images are based on it. */
const notThereOrUsed = [404, 409];

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

/** The images of a Docker engine. */
export class DockerImages {
  constructor(private readonly docker: Docker) {}

  async inspect(image: string): Promise<ImageInspectInfo> {
    return this.docker.getImage(image).inspect();
  }

  /** @throws DockerError when the image is missing and cannot be pulled */
  async ensure(image: string, signal: AbortSignal): Promise<void> {
    const isHere = await ignoringStatus(notThere, this.docker.getImage(image).inspect());
    if (!isHere) await this.pull(image, { signal });
  }

  /** Pulls the image, also when it exists. @throws DockerError */
  async pull(image: string, { signal, login }: TransferOptions): Promise<void> {
    const options = { abortSignal: signal, ...(login ? { authconfig: login } : {}) };
    const stream = await this.docker.pull(image, options).catch((cause: unknown) => {
      throw new DockerError(`Image ${image} could not be pulled: ${reason(cause)}`, {
        cause,
      });
    });
    await this.follow(stream, `Image ${image} could not be pulled`);
  }

  /** Pushes the image to its registry. @throws DockerError */
  async push(image: string, { signal, login }: TransferOptions): Promise<void> {
    // The engine requires the header also for registries without login.
    const authconfig = login ?? { username: '', password: '', serveraddress: '' };
    const stream = await this.docker.getImage(image).push({ abortSignal: signal, authconfig });
    await this.follow(stream, `Image ${image} could not be pushed`);
  }

  /**
   * Removes what no container and no image with a name needs: layers without a name and the cache
   * of builds. The engine keeps what a running build uses.
   */
  async removeUnused(): Promise<void> {
    await this.docker.pruneImages({ filters: { dangling: ['true'] } });
    await this.docker.pruneBuilder();
  }

  /**
   * Removes images that were built, pulled or named before this time and that no container uses.
   * An image that is needed again is pulled again.
   */
  async removeOld({ before, kept }: { readonly before: Date; readonly kept: string | null }): Promise<void> {
    const containers = await this.docker.listContainers({ all: true });
    const used = new Set(containers.map(({ ImageID }) => ImageID));
    const isKept = (name: string) => name === kept || name === `${kept}:latest`;
    const images = (await this.docker.listImages()).filter(
      ({ Id, RepoTags }) => !used.has(Id) && RepoTags?.some(isKept) === false,
    );
    for (const { Id, RepoTags = [] } of images)
      if (await this.isOlder(Id, before)) for (const name of RepoTags) await this.remove(name);
  }

  private async isOlder(id: string, before: Date): Promise<boolean> {
    const found = await ignoringStatus(notThere, this.docker.getImage(id).inspect());
    return found !== null && lastUse(found) < before;
  }

  async tag(image: string, name: string): Promise<void> {
    const at = name.lastIndexOf(':');
    const hasTag = at > name.lastIndexOf('/');
    const options = hasTag
      ? { repo: name.slice(0, at), tag: name.slice(at + 1) }
      : { repo: name, tag: 'latest' };
    await this.docker.getImage(image).tag(options);
  }

  /** Names of the images that match one of the references. */
  async tags(references: readonly string[]): Promise<string[]> {
    const found = await Promise.all(
      references.map((reference) => this.docker.listImages({ filters: { reference: [reference] } })),
    );
    return found.flat().flatMap(({ RepoTags }) => RepoTags ?? []);
  }

  /** Removes the name, and the image with its last name; an image in use stays. */
  async remove(image: string): Promise<void> {
    await ignoringStatus(notThereOrUsed, this.docker.getImage(image).remove());
  }

  /** Removes all images with the label; images in use stay. */
  async removeLabelled(name: string, value: string): Promise<void> {
    const found = await this.docker.listImages({ filters: { label: [`${name}=${value}`] } });
    for (const { Id } of found)
      await ignoringStatus(notThereOrUsed, this.docker.getImage(Id).remove({ force: true }));
  }

  /** Removes a layer that has no name and no children. */
  async removeUntagged(id: string): Promise<void> {
    const image = await ignoringStatus(notThere, this.docker.getImage(id).inspect());
    if (!image || image.RepoTags?.length || image.RepoDigests?.length) return;
    await this.remove(id);
  }

  private follow(stream: NodeJS.ReadableStream, message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error) =>
        error ? reject(new DockerError(`${message}: ${reason(error)}`)) : resolve(),
      );
    });
  }
}

interface TransferOptions {
  readonly signal: AbortSignal;
  readonly login?: RegistryLogin | null;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An image that was never named here has a time of the year 1. */
function lastUse(image: ImageInspectInfo): Date {
  // The types of the client lack the field.
  const { Created, Metadata }: ImageInspectInfo & { readonly Metadata?: { readonly LastTagTime?: string } } =
    image;
  const named = Date.parse(Metadata?.LastTagTime ?? '');
  return new Date(Math.max(Date.parse(Created), Number.isNaN(named) ? 0 : named));
}
