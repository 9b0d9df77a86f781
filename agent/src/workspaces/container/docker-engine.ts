import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { spawn } from '../../node/process-priority.js';
import { retry } from '../../shared/retry.js';
import { DiskBudget } from '../../streams/disk-budget.js';
import type { NodeSize } from './container-settings.js';
import { diskQuotaObstacle } from './disk-quota.js';
import { DockerError, ignoringStatus } from './docker-errors.js';
import { DockerImages } from './docker-images.js';
import { labels } from './docker-names.js';
import { isOfShutdown, shutdownLimits } from './engine-shutdown.js';
import { startInContainer } from './start-in-container.js';
import { unpackFolder } from './unpack-folder.js';

const standardLimits = {
  ...shutdownLimits,
  /** From the end of a stop's grace to its answer, which may be lost. */
  stopAnswerMs: 20_000,
};

/** Short commands print errors only, such as one for each file that has disappeared. */
const shortOutputBytes = 16 * 1_024 * 1_024;

export interface FetchedFolder {
  readonly from: string;
  readonly to: string;
  readonly limitBytes: number;
}

/** The operations on a Docker engine. Each is safe to repeat. */
export class DockerEngine {
  readonly images: DockerImages;

  constructor(
    readonly docker: Docker,
    private readonly longest = standardLimits,
  ) {
    this.images = new DockerImages(docker);
  }

  /**
   * The engine of this machine, available or not. Loads the client only on nodes with containers.
   */
  static async open(): Promise<DockerEngine> {
    const { default: Docker } = await import('dockerode');
    return new DockerEngine(new Docker());
  }

  /** @throws DockerError when no engine answers */
  async check(): Promise<void> {
    await this.docker.ping().catch((cause: unknown) => {
      throw new DockerError('Docker engine is not available on this node', { cause });
    });
  }

  /** Resolves when an engine answers; rejects after 30 attempts. */
  async waitUntilAvailable(signal: AbortSignal): Promise<void> {
    await retry(() => this.check(), {
      attempts: 30,
      firstDelayMs: 200,
      maxDelayMs: 5_000,
      isTransient: () => true,
      signal,
    });
  }

  /** Whether an operation failed because the engine is unavailable or shuts down. */
  isUnavailable(error: unknown, signal: AbortSignal): Promise<boolean> {
    return isOfShutdown(error, { check: () => this.check(), limits: this.longest, signal });
  }

  /** Size of the engine's machine, which may be a virtual machine. */
  async size(): Promise<NodeSize> {
    const { NCPU: processors, MemTotal: memoryBytes } = await this.docker.info();
    return { processors, memoryBytes };
  }

  /**
   * Stopped first: an engine that is killed within a forced removal, after the process and before
   * the unmount, keeps the mount and can never remove the container.
   */
  async removeContainer(name: string): Promise<void> {
    await ignoringStatus([409], this.stopContainer(name, 0));
    const container = this.docker.getContainer(name);
    const removed = await ignoring404(ignoringStatus([409], container.remove({ force: true, v: true })));
    // Another request removes it already.
    if (removed === null) await this.untilRemoved(name);
  }

  private async untilRemoved(name: string): Promise<void> {
    if (await this.inspect(name))
      await ignoring404(this.docker.getContainer(name).wait({ condition: 'removed' }));
  }

  async removeVolume(name: string): Promise<void> {
    await ignoring404(this.docker.getVolume(name).remove({ force: true }));
  }

  /** `diskMb`: only where the engine can limit disk. */
  async createVolume(
    name: string,
    objectLabels: Readonly<Record<string, string>>,
    diskMb?: number,
  ): Promise<void> {
    const limit = diskMb === undefined ? {} : { DriverOpts: { size: `${diskMb}m` } };
    await this.docker.createVolume({ Name: name, Labels: objectLabels, ...limit });
  }

  /** Why the engine cannot limit disk; null: it can. */
  async diskObstacle(): Promise<string | null> {
    return diskQuotaObstacle(await this.docker.info(), '/proc/self/mounts');
  }

  /** Ids of all containers of one workspace. */
  async containersOf(workspaceId: string): Promise<string[]> {
    const filters = { label: [`${labels.workspace}=${workspaceId}`] };
    return (await this.docker.listContainers({ all: true, filters })).map(({ Id }) => Id);
  }

  /** Names of all volumes of one workspace. */
  async volumesOf(workspaceId: string): Promise<string[]> {
    const filters = JSON.stringify({ label: [`${labels.workspace}=${workspaceId}`] });
    const { Volumes } = await this.docker.listVolumes({ filters });
    return (Volumes ?? []).map(({ Name }) => Name);
  }

  /** Newest generation that the labels of containers and volumes name; null without any. */
  async generationOf(workspaceId: string): Promise<number | null> {
    const filters = { label: [`${labels.workspace}=${workspaceId}`] };
    const [containers, volumes] = await Promise.all([
      this.docker.listContainers({ all: true, filters }),
      this.docker.listVolumes({ filters: JSON.stringify(filters) }),
    ]);
    const generations = [...containers, ...(volumes.Volumes ?? [])]
      .map((item) => Number(item.Labels?.[labels.generation]))
      .filter((generation) => generation > 0);
    return generations.length > 0 ? Math.max(...generations) : null;
  }

  /** Null when the container does not exist. */
  async inspect(name: string): Promise<ContainerInspectInfo | null> {
    return ignoring404(this.docker.getContainer(name).inspect());
  }

  async hasVolume(name: string): Promise<boolean> {
    return (await ignoring404(this.docker.getVolume(name).inspect())) !== null;
  }

  /** @throws when the engine does not answer: the container may run or not */
  async stopContainer(
    name: string,
    graceSeconds: number,
    answerMs = this.longest.stopAnswerMs,
  ): Promise<void> {
    const abortSignal = AbortSignal.timeout(graceSeconds * 1_000 + answerMs);
    // The client accepts the signal; its types omit it.
    const options = { t: graceSeconds, abortSignal };
    await ignoringStatus([304, 404], this.docker.getContainer(name).stop(options));
  }

  /** False when the container does not exist or is being removed. */
  async startContainer(name: string): Promise<boolean> {
    const existing = await this.inspect(name);
    if (!existing) return false;
    if (existing.State.Running) return true;
    await ignoringStatus([304, 404, 409], this.docker.getContainer(name).start());
    if ((await this.inspect(name))?.State.Running) return true;
    await this.removeContainer(name);
    return false;
  }

  /** Null when the container does not exist or does not run. */
  async runningContainer(name: string): Promise<{ readonly id: string; readonly pid: number } | null> {
    const existing = await this.inspect(name);
    return existing?.State.Running ? { id: existing.Id, pid: existing.State.Pid } : null;
  }

  /** Copies a folder of this machine into the container, owned by root. */
  async copyFolder(name: string, options: { readonly from: string; readonly to: string }): Promise<void> {
    const tar = spawn('tar', ['-C', options.from, '--owner=0', '--group=0', '-c', '.'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const packed = new Promise<number | null>((resolve, reject) => {
      tar.once('error', reject);
      tar.once('close', resolve);
    });
    // The client accepts any stream, its types only some.
    const stream: Readable = tar.stdout;
    const copied = this.docker.getContainer(name).putArchive(stream, { path: options.to });
    // When the engine fails it stops reading, and tar would wait forever.
    const [code] = await Promise.all([packed, copied]).finally(() => tar.kill());
    if (code !== 0) throw new DockerError(`The clone could not be packed (tar exited with ${code})`);
  }

  /**
   * Copies a folder of a container into an empty folder of this machine, owned by the agent.
   * @throws StreamLimit when its files exceed the limit or the free disk
   */
  async fetchFolder(name: string, { from, to, limitBytes }: FetchedFolder): Promise<void> {
    const source = 'The files of the repository folder';
    const budget = await DiskBudget.open({ folder: to, limitBytes, source });
    const archive = await this.docker.getContainer(name).getArchive({ path: from });
    await unpackFolder(archive, to, budget);
  }

  /** Starts a command without waiting for it. */
  async runDetached(name: string, command: readonly string[], user: string): Promise<void> {
    const exec = await this.docker.getContainer(name).exec({ Cmd: [...command], User: user });
    await exec.start({ Detach: true });
  }

  /** Runs a short command to its end. @throws StreamLimit when it prints too much */
  async run(name: string, argv: readonly string[], user?: '0'): Promise<number | null> {
    const command = { argv, hasInput: false, asRoot: user === '0', outputBytes: shortOutputBytes };
    const { stdout, ended } = await startInContainer(this.docker.getContainer(name), command);
    stdout.resume();
    return (await ended).exitCode;
  }

  /**
   * Runs a short command as root and as the container's user, for data that only one of them may
   * read.
   */
  async runAsAll(name: string, command: readonly string[]): Promise<void> {
    await Promise.all([this.run(name, command, '0'), this.run(name, command)]);
  }

  /** Workspace ids of all containers, volumes and networks of this node. */
  async workspacesOf(nodeId: string): Promise<string[]> {
    const filters = { label: [`${labels.node}=${nodeId}`] };
    const [containers, volumes, networks] = await Promise.all([
      this.docker.listContainers({ all: true, filters }),
      this.docker.listVolumes({ filters: JSON.stringify(filters) }),
      this.docker.listNetworks({ filters }),
    ]);
    const found = [...containers, ...(volumes.Volumes ?? []), ...networks].map(
      (item) => item.Labels?.[labels.workspace],
    );
    return [...new Set(found.filter((workspaceId) => workspaceId !== undefined))];
  }
}

function ignoring404<T>(work: Promise<T>): Promise<T | null> {
  return ignoringStatus([404], work);
}
