import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { labels } from './docker-names.js';

/** Says what Docker answered, for people. */
export class DockerFailed extends Error {
  override readonly name = 'DockerFailed';
}

/** The few things asked of a Docker engine, each harmless to repeat. */
export class DockerEngine {
  constructor(readonly docker: Docker) {}

  /** @throws DockerFailed when no engine answers */
  async check(): Promise<void> {
    await this.docker.ping().catch((cause: unknown) => {
      throw new DockerFailed('No Docker engine answers on this node', { cause });
    });
  }

  async ensureImage(image: string, signal: AbortSignal): Promise<void> {
    const isHere = await ignoring404(this.docker.getImage(image).inspect());
    if (isHere) return;
    const stream = await this.docker.pull(image, { abortSignal: signal }).catch((cause: unknown) => {
      throw new DockerFailed(`The image ${image} is not here and cannot be fetched: ${reason(cause)}`, {
        cause,
      });
    });
    await new Promise<void>((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error) =>
        error
          ? reject(new DockerFailed(`The image ${image} cannot be fetched: ${reason(error)}`))
          : resolve(),
      );
    });
  }

  async removeContainer(name: string): Promise<void> {
    await ignoring404(this.docker.getContainer(name).remove({ force: true, v: true }));
  }

  async removeVolume(name: string): Promise<void> {
    await ignoring404(this.docker.getVolume(name).remove({ force: true }));
  }

  async hasVolume(name: string): Promise<boolean> {
    return (await ignoring404(this.docker.getVolume(name).inspect())) !== null;
  }

  async stopContainer(name: string, graceSeconds: number): Promise<void> {
    await ignoring304(ignoring404(this.docker.getContainer(name).stop({ t: graceSeconds })));
  }

  /** False when there is no such container. */
  async startContainer(name: string): Promise<boolean> {
    const there = await ignoring404(this.docker.getContainer(name).inspect());
    if (!there) return false;
    if (!there.State.Running) await ignoring304(this.docker.getContainer(name).start());
    return true;
  }

  /** Null when there is no such container, or it does not run. */
  async runningContainer(name: string): Promise<{ readonly id: string; readonly pid: number } | null> {
    const there = await ignoring404(this.docker.getContainer(name).inspect());
    return there?.State.Running ? { id: there.Id, pid: there.State.Pid } : null;
  }

  /** Puts a folder of this machine, with its owner changed to root, at `path` of the container. */
  async copyFolder(name: string, options: { readonly from: string; readonly to: string }): Promise<void> {
    const tar = spawn('tar', ['-C', options.from, '--owner=0', '--group=0', '-c', '.'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const packed = new Promise<number | null>((resolve, reject) => {
      tar.once('error', reject);
      tar.once('close', resolve);
    });
    // The client takes any stream, its types only some of them.
    const stream: Readable = tar.stdout;
    const copied = this.docker.getContainer(name).putArchive(stream, { path: options.to });
    const [code] = await Promise.all([packed, copied]);
    if (code !== 0) throw new DockerFailed(`The clone could not be packed (tar ended with ${code})`);
  }

  /** Runs a short command to its end. */
  async run(name: string, command: readonly string[], user?: string): Promise<number | null> {
    const exec = await this.docker.getContainer(name).exec({
      Cmd: [...command],
      AttachStdout: true,
      AttachStderr: true,
      ...(user === undefined ? {} : { User: user }),
    });
    const stream = await exec.start({});
    stream.resume();
    await new Promise<void>((resolve, reject) => {
      stream.once('end', resolve);
      stream.once('error', reject);
    });
    return (await exec.inspect()).ExitCode;
  }

  /** Workspace ids of all containers and volumes that this node has made. */
  async workspacesOf(nodeId: string): Promise<string[]> {
    const filters = { label: [`${labels.node}=${nodeId}`] };
    const [containers, volumes] = await Promise.all([
      this.docker.listContainers({ all: true, filters }),
      this.docker.listVolumes({ filters: JSON.stringify(filters) }),
    ]);
    const found = [...containers, ...(volumes.Volumes ?? [])].map((item) => item.Labels?.[labels.workspace]);
    return [...new Set(found.filter((workspaceId) => workspaceId !== undefined))];
  }
}

function ignoring404<T>(work: Promise<T>): Promise<T | null> {
  return ignoring(404, work);
}

/** "Is so already". */
function ignoring304<T>(work: Promise<T>): Promise<T | null> {
  return ignoring(304, work);
}

async function ignoring<T>(status: number, work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === status) return null;
    throw error;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
