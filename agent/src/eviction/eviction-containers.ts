import type { EvictionCause } from '../../../protocol/eviction.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { dockerName } from '../workspaces/container/docker-names.js';

/** The container of a workspace, as the engine has it now. */
export interface FoundContainer {
  readonly id: string;
  readonly isRunning: boolean;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The kernel ended one of its processes for lack of memory, and it does not run. */
  readonly diedOfMemory: boolean;
  /** 0: none. */
  readonly memoryLimitBytes: number;
}

/** SIGKILL. The engine's mark of an OOM kill alone may be of a tool, which ended nothing. */
const killedExitCode = 137;

/** What an eviction does to the containers of workspaces. */
export class EvictionContainers {
  constructor(
    private readonly engine: DockerEngine,
    private readonly options: {
      readonly stopTimeoutMs: number;
      readonly wasEndedByClient: (containerId: string, startedAt: string) => boolean;
    },
  ) {}

  async find(workspaceId: string): Promise<FoundContainer | null> {
    const found = await this.engine.inspect(dockerName(workspaceId));
    if (!found) return null;
    const { Running: isRunning, OOMKilled, ExitCode, StartedAt, FinishedAt } = found.State;
    return {
      id: found.Id,
      isRunning,
      startedAt: new Date(StartedAt),
      finishedAt: new Date(FinishedAt),
      diedOfMemory:
        !isRunning &&
        OOMKilled &&
        ExitCode === killedExitCode &&
        !this.options.wasEndedByClient(found.Id, StartedAt),
      memoryLimitBytes: found.HostConfig.Memory ?? 0,
    };
  }

  /** @throws when it may still run */
  async stop(id: string): Promise<void> {
    const { stopTimeoutMs } = this.options;
    await this.engine.stopContainer(id, stopTimeoutMs / 1_000, stopTimeoutMs / 2);
  }

  /** By resident memory. Undefined when it cannot be found, or its name is not a plain one. */
  async largestProcess(id: string): Promise<EvictionCause['largestProcess']> {
    const listed: { Processes: string[][] } = await this.engine.docker
      .getContainer(id)
      .top({ ps_args: '-o pid,rss,comm' });
    const processes = listed.Processes.map(([, kilobytes, ...name]) => ({
      name: name.join(' '),
      bytes: Number(kilobytes) * 1_024,
    }));
    const [largest] = processes.toSorted((one, other) => other.bytes - one.bytes);
    return plainProcess(largest);
  }
}

/** Undefined unless the name is a plain one: a process chooses its own. */
export function plainProcess(
  process: EvictionCause['largestProcess'] | null,
): EvictionCause['largestProcess'] {
  return process && /^[\w.+-]{1,32}$/.test(process.name) && process.bytes >= 0 ? process : undefined;
}
