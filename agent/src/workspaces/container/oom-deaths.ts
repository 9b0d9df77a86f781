import type { ContainerInspectInfo } from 'dockerode';
import type { ContainerOomEvent } from '../../pressure/pressure.js';
import { RecentEntries } from '../../shared/recent-entries.js';
import type { ContainerEvent } from './container-event.js';
import type { DockerEngine } from './docker-engine.js';
import { labels } from './docker-names.js';

/** A process that was killed: 128 + SIGKILL. */
const killedCode = 137;
/** The engine reports the kill and the end of the container within this time of each other. */
const togetherMs = 10_000;
const maxReported = 256;
/** A workspace waits for this before it is started again. */
const inspectMs = 5_000;

export type OomDeath = Omit<ContainerOomEvent, 'type' | 'level'>;

export interface OomListener {
  /** The kernel killed a process of this container; the container may run on. */
  killed(containerId: string): void;
  /** The kill ended the container. Called once for each of its runs. */
  died(death: OomDeath): void;
}

type State = ContainerInspectInfo['State'];

/**
 * Finds containers that ended because the kernel killed their first process for lack of memory. The
 * exit code alone does not prove that: a stop that takes too long has the same. Nor does the
 * engine's mark alone: it stays from an earlier kill of another process.
 */
export class OomDeaths {
  private readonly listeners: OomListener[] = [];
  /** When the kernel last killed a process of a container that runs. */
  private readonly killedAt = new Map<string, number>();
  /** When a client, or the agent, last sent a signal to a container. */
  private readonly signalledAt = new RecentEntries<number>(maxReported);
  /** Container and start of the runs whose end was reported. */
  private readonly reported = new RecentEntries<true>(maxReported);
  /** Those that a client ended: the engine's mark of an earlier kill stays on them. */
  private readonly endedByClient = new RecentEntries<true>(maxReported);

  constructor(
    private readonly nodeId: string,
    private readonly engine: DockerEngine,
  ) {}

  listen(listener: OomListener): void {
    this.listeners.push(listener);
  }

  async add(event: ContainerEvent): Promise<void> {
    const { action, containerId, occurredAt } = event;
    if (action === 'kill') this.signalledAt.set(containerId, occurredAt.getTime());
    else if (action === 'oom') {
      this.killedAt.set(containerId, occurredAt.getTime());
      for (const listener of this.listeners) listener.killed(containerId);
    } else {
      const killedAt = this.killedAt.get(containerId);
      this.killedAt.delete(containerId);
      if (action === 'die' && event.exitCode === killedCode) await this.judge(event, killedAt);
    }
  }

  /** Whether a client ended this run of a container, as far as the agent has seen. */
  wasEndedByClient(containerId: string, startedAt: string): boolean {
    return this.endedByClient.find(runOf(containerId, startedAt)) === true;
  }

  /** Containers that died while nobody watched. */
  async findMissed(): Promise<void> {
    if (this.listeners.length === 0) return;
    const filters = { label: [`${labels.node}=${this.nodeId}`], exited: [String(killedCode)] };
    const ended = await this.engine.docker.listContainers({ all: true, filters });
    for (const { Id: containerId, Names, Labels } of ended) {
      const state = await this.stateOf(containerId);
      if (!state?.OOMKilled || state.Running) continue;
      const containerName = Names[0]?.replace(/^\//, '') ?? containerId;
      const workspaceId = Labels[labels.workspace];
      const occurredAt = new Date(state.FinishedAt);
      this.report({ containerId, containerName, workspaceId, exitCode: state.ExitCode, occurredAt }, state);
    }
  }

  private async judge(event: ContainerEvent, killedAt: number | undefined): Promise<void> {
    const { containerId, containerName, workspaceId, exitCode, occurredAt } = event;
    const state = await this.stateOf(containerId);
    if (this.wasSignalled(event, killedAt)) {
      if (state) this.endedByClient.set(runOf(containerId, state.StartedAt), true);
      return;
    }
    const wasOom =
      killedAt === undefined
        ? state?.OOMKilled === true
        : Math.abs(occurredAt.getTime() - killedAt) <= togetherMs;
    if (wasOom) this.report({ containerId, containerName, workspaceId, exitCode, occurredAt }, state);
  }

  /** A client ended it, and not the kernel that had killed another process shortly before. */
  private wasSignalled({ containerId, occurredAt }: ContainerEvent, killedAt = 0): boolean {
    const at = this.signalledAt.find(containerId);
    return at !== undefined && at >= killedAt && occurredAt.getTime() - at <= togetherMs;
  }

  private report(death: OomDeath, state: State | null): void {
    const run = runOf(death.containerId, state?.StartedAt);
    if (this.reported.find(run)) return;
    this.reported.set(run, true);
    for (const listener of this.listeners) listener.died(death);
  }

  private async stateOf(containerId: string): Promise<State | null> {
    const options = { abortSignal: AbortSignal.timeout(inspectMs) };
    const container = this.engine.docker.getContainer(containerId);
    return container.inspect(options).then(
      ({ State }) => State,
      () => null,
    );
  }
}

const runOf = (containerId: string, startedAt: string | undefined): string => `${containerId} ${startedAt}`;
