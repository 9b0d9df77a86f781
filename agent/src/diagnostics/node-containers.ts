import type Docker from 'dockerode';
import { redact } from '../shared/redact.js';
import { untilAborted } from '../shared/with-timeout.js';
import { ByteBudget } from '../streams/byte-budget.js';
import { openContainerLog } from '../workspaces/container/container-log.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { awayStatuses, ignoringStatus } from '../workspaces/container/docker-errors.js';
import { labels } from '../workspaces/container/docker-names.js';
import { type ContainerLine, ContainerLogLines } from './container-log-lines.js';

const linesPerContainer = 1_000;
const maxContainers = 64;
/** The log of one container. The engine keeps 1 MB for each container of the agent. */
const logBytes = 2 * 1_024 * 1_024;

export interface NodeContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly state: string;
  readonly status: string;
}

/** Containers of this node, for its diagnostics. */
export class NodeContainers {
  constructor(
    /** Null where workspaces need no engine. */
    private readonly engine: DockerEngine | null,
    private readonly nodeId: string,
  ) {}

  /** Lists running containers. */
  list(): Promise<NodeContainer[]> {
    return this.find({ status: ['running'] });
  }

  /** Lists all containers, including exited ones. */
  all(): Promise<NodeContainer[]> {
    return this.find({});
  }

  async version(): Promise<string | null> {
    if (!this.engine) return null;
    const version = await untilAborted(this.engine.docker.version(), soon());
    return version.Version;
  }

  /** Inspects all containers, without the values of their environments and without secrets. */
  async inspect(): Promise<unknown[]> {
    const known = await Promise.all((await this.all()).map(({ id }) => this.factsOf(id)));
    return known.flatMap((facts) => (facts ? [redact(withoutEnvironment(facts))] : []));
  }

  /** The newest lines of each, oldest first, without secrets. */
  async logs(containers: readonly NodeContainer[], tail = linesPerContainer): Promise<ContainerLine[]> {
    const all = await Promise.all(containers.map((container) => this.logsOf(container, tail)));
    return all.flat();
  }

  /** Follows a container from `since` (Docker's time) until it exits or the signal aborts. */
  async follow(
    { id, name }: NodeContainer,
    { since, signal }: { readonly since: string; readonly signal: AbortSignal },
    take: (line: ContainerLine) => void,
  ): Promise<void> {
    const options = { stdout: true, stderr: true, timestamps: true, since: secondsOf(since) };
    const stream = await this.engine?.docker
      .getContainer(id)
      .logs({ ...options, follow: true, abortSignal: signal });
    const lines = new ContainerLogLines(name);
    for await (const chunk of stream ?? []) {
      for (const line of lines.take(chunk as Buffer)) if (line.time > since) take(line);
    }
  }

  private async find(more: Readonly<Record<string, string[]>>): Promise<NodeContainer[]> {
    const filters = { label: [`${labels.node}=${this.nodeId}`], ...more };
    const options = { all: true, filters, abortSignal: soon() };
    const found = (await this.engine?.docker.listContainers(options)) ?? [];
    return found.slice(0, maxContainers).map((container) => ({
      id: container.Id,
      name: container.Names[0]?.replace(/^\//, '') ?? '',
      image: container.Image,
      state: container.State,
      status: container.Status,
    }));
  }

  /** Returns no lines when the container has been removed. A log beyond its budget is cut off. */
  private async logsOf({ id, name }: NodeContainer, tail: number): Promise<ContainerLine[]> {
    if (!this.engine) return [];
    const part = { id, tail, signal: soon() };
    const log = await ignoringStatus(awayStatuses, openContainerLog(this.engine.docker, part));
    const lines = new ContainerLogLines(name);
    const budget = new ByteBudget(logBytes, `The log of ${name}`);
    const read: ContainerLine[] = [];
    for await (const chunk of log ?? []) {
      budget.count(chunk.length);
      if (budget.failure) return [...read, lines.cutOff(budget.failure.message)];
      read.push(...lines.take(chunk));
    }
    return read;
  }

  private async factsOf(id: string): Promise<Docker.ContainerInspectInfo | null> {
    if (!this.engine) return null;
    return ignoringStatus(awayStatuses, this.engine.docker.getContainer(id).inspect({ abortSignal: soon() }));
  }
}

/** Keeps the names of variables and removes their values, which may be secrets. */
function withoutEnvironment(facts: Docker.ContainerInspectInfo) {
  const names = facts.Config.Env.map((variable) => `${variable.split('=', 1)[0]}=[redacted]`);
  return { ...facts, Config: { ...facts.Config, Env: names } };
}

/** Seconds with all nine digits, as Docker reads them exactly. */
function secondsOf(time: string): string {
  const digits = /\.(\d+)Z$/.exec(time)?.[1] ?? '0';
  return `${Math.floor(Date.parse(time) / 1_000)}.${digits.padEnd(9, '0')}`;
}

/** Bounds the wait for an engine that hangs. */
function soon(): AbortSignal {
  return AbortSignal.timeout(10_000);
}
