import type { Socket } from 'node:net';
import { isSea } from 'node:sea';
import type { Log } from '../shared/log.js';
import type { DialRequest } from './dial-first.js';
import { dialHelperArgument } from './dial-helper.js';
import { type HelperCommand, NetworkDialer } from './network-dialer.js';

/** A helper costs as much memory as a small program; it stays while a preview is looked at. */
const idleMs = 60_000;

interface Kept {
  readonly dialer: NetworkDialer;
  timer: NodeJS.Timeout;
}

/** One helper for each network of a workspace that somebody connects to, while somebody does. */
export class NetworkDialers implements AsyncDisposable {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly log: Log,
    private readonly command: HelperCommand = helperCommand,
  ) {}

  /** @throws AgentError bad_gateway, timed_out, or unavailable when this agent may not enter networks */
  async dial(
    network: { readonly name: string; readonly pid: number },
    request: DialRequest,
  ): Promise<Socket> {
    const kept = this.kept.get(network.name) ?? this.begin(network);
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => this.end(network.name), idleMs + request.timeoutMs);
    return kept.dialer.dial(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = [...this.kept].map(([name, { dialer }]) => {
      this.end(name);
      return dialer.ended;
    });
    await Promise.all(ended);
  }

  private begin({ name, pid }: { readonly name: string; readonly pid: number }): Kept {
    const dialer = new NetworkDialer(name, pid, this.command);
    const kept = { dialer, timer: setTimeout(() => undefined, 0) };
    this.kept.set(name, kept);
    dialer.ended.then(() => {
      clearTimeout(kept.timer);
      if (this.kept.get(name) === kept) this.kept.delete(name);
      this.log.debug('Network helper ended', { network: name });
    });
    return kept;
  }

  private end(name: string): void {
    const kept = this.kept.get(name);
    if (!kept) return;
    clearTimeout(kept.timer);
    this.kept.delete(name);
    kept.dialer.end();
  }
}

/** The agent's own program again, begun by `nsenter`, which any Linux has, in the network of the process and no more. */
function helperCommand(pid: number): readonly [string, ...string[]] {
  const program = isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''];
  return ['nsenter', `--net=/proc/${pid}/ns/net`, '--', ...program, dialHelperArgument];
}
