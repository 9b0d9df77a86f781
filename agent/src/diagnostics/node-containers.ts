import { redactText } from '../log/redact.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { labels } from '../workspaces/container/docker-names.js';
import type { LogEntry } from './log-ring.js';

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

  /** The newest lines of each, without secrets. */
  async logs(): Promise<LogEntry[]> {
    const all = await Promise.all((await this.list()).map((container) => this.logsOf(container)));
    return all.flat();
  }

  private async logsOf({ id, name }: NodeContainer): Promise<LogEntry[]> {
    const options = { stdout: true, stderr: true, timestamps: true, tail: linesPerContainer };
    const bytes = await this.engine?.docker.getContainer(id).logs({
      ...options,
      follow: false,
      abortSignal: soon(),
    });
    return linesOf(bytes ?? Buffer.alloc(0)).map(({ isError, text }) => {
      const space = text.indexOf(' ');
      const at = Date.parse(text.slice(0, space));
      return {
        timestamp: new Date(Number.isNaN(at) ? 0 : at).toISOString(),
        level: isError ? 'error' : 'info',
        source: `docker:${name}`,
        message: redactText(text.slice(space + 1)).slice(0, 4_096),
      };
    });
  }
}

/** An engine that hangs must not keep whoever asks. */
function soon(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

/** Docker's frames: a byte for the stream, three of nothing, four of length. */
function linesOf(bytes: Buffer): { readonly isError: boolean; readonly text: string }[] {
  const lines = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    const text = bytes.toString('utf8', at + 8, Math.min(end, bytes.length));
    lines.push({ isError: bytes[at] === 2, text: text.trimEnd() });
    at = end;
  }
  return lines;
}
