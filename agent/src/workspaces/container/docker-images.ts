import { once } from 'node:events';
import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { spawn } from '../../node/process-priority.js';
import { DockerFailed } from './docker-failed.js';
import { ignoringStatus } from './ignoring-status.js';

const notThere = [404];
/** Conflict: it is in use, or others are built upon it. */
const notThereOrUsed = [404, 409];

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

/** The images of a Docker engine. */
export class DockerImages {
  private buildKit: Promise<boolean> | null = null;

  constructor(private readonly docker: Docker) {}

  async inspect(image: string): Promise<ImageInspectInfo> {
    return this.docker.getImage(image).inspect();
  }

  /** @throws DockerFailed when it is not here and cannot be fetched */
  async ensure(image: string, signal: AbortSignal): Promise<void> {
    const isHere = await ignoringStatus(notThere, this.docker.getImage(image).inspect());
    if (!isHere) await this.pull(image, { signal });
  }

  /** Fetches the image, also when there is one already. @throws DockerFailed */
  async pull(image: string, { signal, login }: TransferOptions): Promise<void> {
    const options = { abortSignal: signal, ...(login ? { authconfig: login } : {}) };
    const stream = await this.docker.pull(image, options).catch((cause: unknown) => {
      throw new DockerFailed(`The image ${image} is not here and cannot be fetched: ${reason(cause)}`, {
        cause,
      });
    });
    await this.follow(stream, `The image ${image} cannot be fetched`);
  }

  /** Sends the image to its registry, under its own name there. @throws DockerFailed */
  async push(image: string, { signal, login }: TransferOptions): Promise<void> {
    // The engine wants the header also where nobody needs to log in.
    const authconfig = login ?? { username: '', password: '', serveraddress: '' };
    const stream = await this.docker.getImage(image).push({ abortSignal: signal, authconfig });
    await this.follow(stream, `The image ${image} cannot be sent`);
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

  /** Takes the name away, and the image with its last name; one in use stays. */
  async remove(image: string): Promise<void> {
    await ignoringStatus(notThereOrUsed, this.docker.getImage(image).remove());
  }

  /** Removes all images with the label, whatever their names are; those in use stay. */
  async removeLabelled(name: string, value: string): Promise<void> {
    const found = await this.docker.listImages({ filters: { label: [`${name}=${value}`] } });
    for (const { Id } of found)
      await ignoringStatus(notThereOrUsed, this.docker.getImage(Id).remove({ force: true }));
  }

  /** Removes a layer that has no name and of which nothing else is made. */
  async removeUntagged(id: string): Promise<void> {
    const image = await ignoringStatus(notThere, this.docker.getImage(id).inspect());
    if (!image || image.RepoTags?.length || image.RepoDigests?.length) return;
    await this.remove(id);
  }

  /** Whether the docker command builds by BuildKit; without its plug-in it uses the engine's classic builder. */
  hasBuildKit(): Promise<boolean> {
    this.buildKit ??= once(spawn('docker', ['buildx', 'version'], { stdio: 'ignore' }), 'close').then(
      ([code]) => code === 0,
      () => false,
    );
    return this.buildKit;
  }

  private follow(stream: NodeJS.ReadableStream, message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error) =>
        error ? reject(new DockerFailed(`${message}: ${reason(error)}`)) : resolve(),
      );
    });
  }
}

export interface TransferOptions {
  readonly signal: AbortSignal;
  readonly login?: RegistryLogin | null;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
