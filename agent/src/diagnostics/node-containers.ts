import type Docker from 'dockerode';
import { redact } from '../log/redact.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { labels } from '../workspaces/container/docker-names.js';
import { type ContainerLine, ContainerLogLines } from './container-log-lines.js';

const linesPerContainer = 1_000;
const maxContainers = 64;

export interface NodeContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly state: string;
  readonly status: string;
}

/** This node's containers as its diagnostics show them. */
export class NodeContainers {
  constructor(
    /** Null where workspaces need no engine. */
    private readonly engine: DockerEngine | null,
    private readonly nodeId: string,
  ) {}

  /** Those that run. */
  async list(): Promise<NodeContainer[]> {
    const filters = { label: [`${labels.node}=${this.nodeId}`], status: ['running'] };
    const found = (await this.engine?.docker.listContainers({ filters, abortSignal: soon() })) ?? [];
    return found.slice(0, maxContainers).map((container) => ({
      id: container.Id,
      name: container.Names[0]?.replace(/^\//, '') ?? '',
      image: container.Image,
      state: container.State,
      status: container.Status,
    }));
  }

  async version(): Promise<string | null> {
    if (!this.engine) return null;
    const signal = soon();
    const tooLate = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const version = await Promise.race([this.engine.docker.version(), tooLate]);
    return version.Version;
  }

  /** What the engine knows of each, without the values of its environment and without secrets. */
  async inspect(): Promise<unknown[]> {
    const containers = await this.list();
    const known = await Promise.all(
      containers.map(({ id }) => this.engine?.docker.getContainer(id).inspect({ abortSignal: soon() })),
    );
    return known.map((facts) => redact(withoutEnvironment(facts)));
  }

  /** The newest lines of each, oldest first, without secrets. */
  async logs(tail = linesPerContainer): Promise<ContainerLine[]> {
    const all = await Promise.all((await this.list()).map((container) => this.logsOf(container, tail)));
    return all.flat();
  }

  /** Lines of one container from `since` (Docker's own time) on, until it ends or the signal. */
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

  private async logsOf({ id, name }: NodeContainer, tail: number): Promise<ContainerLine[]> {
    const options = { stdout: true, stderr: true, timestamps: true, tail };
    const bytes = await this.engine?.docker.getContainer(id).logs({
      ...options,
      follow: false,
      abortSignal: soon(),
    });
    return new ContainerLogLines(name).take(bytes ?? Buffer.alloc(0));
  }
}

/** Names of variables are worth knowing, their values are not ours to show. */
function withoutEnvironment(facts: Docker.ContainerInspectInfo | undefined) {
  if (!facts) return null;
  const names = facts.Config.Env.map((variable) => `${variable.split('=', 1)[0]}=[redacted]`);
  return { ...facts, Config: { ...facts.Config, Env: names } };
}

/** Seconds with all nine digits, as Docker reads them exactly. */
function secondsOf(time: string): string {
  const digits = /\.(\d+)Z$/.exec(time)?.[1] ?? '0';
  return `${Math.floor(Date.parse(time) / 1_000)}.${digits.padEnd(9, '0')}`;
}

/** An engine that hangs must not keep whoever asks. */
function soon(): AbortSignal {
  return AbortSignal.timeout(10_000);
}
