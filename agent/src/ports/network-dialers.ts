// biome-ignore lint/style/noRestrictedImports: the helper is part of the agent, and every connection waits for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { isSea } from 'node:sea';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import type { DialRequest } from './dial.js';
import { DialAnswer, type DialOrder, dialHelperArgument } from './dial-helper.js';

/** Command that starts a process in the network of another one. */
export type HelperCommand = (pid: number) => readonly [file: string, ...args: string[]];

/** A helper process in the network of one workspace that connects for the agent. */
export class NetworkDialer {
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (answer: Socket | AgentError) => void>();
  private readonly isThere = Promise.withResolvers<void>();
  private lastId = 0;
  private stderr = '';

  /** @param network the kernel's name of the network that the helper must report */
  constructor(
    readonly network: string,
    pid: number,
    command: HelperCommand,
  ) {
    const [file, ...args] = command(pid);
    // The helper does not get the agent's environment.
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
    this.child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-1_024);
    });
    this.child.on('message', (message, handle) => this.take(message, handle));
    this.isThere.promise.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (cause) => this.fail(cause, resolve));
      this.child.once('close', () =>
        this.fail(new Error(this.stderr || 'The helper process exited'), resolve),
      );
    });
  }

  /**
   * @throws AgentError bad_gateway or timed_out as `dialFirst`, unavailable when the helper has
   * ended
   */
  async dial(request: DialRequest): Promise<Socket> {
    await this.isThere.promise;
    this.lastId += 1;
    const id = this.lastId;
    const { promise, resolve } = Promise.withResolvers<Socket | AgentError>();
    this.waiting.set(id, resolve);
    this.child.send({ id, ...request } satisfies DialOrder, (error) => {
      if (error)
        this.answer(id, new AgentError('unavailable', 'The network of the workspace no longer exists'));
    });
    const answer = await promise;
    if (answer instanceof AgentError) throw answer;
    return answer;
  }

  end(): void {
    if (this.child.connected) this.child.disconnect();
    else this.child.kill('SIGKILL');
  }

  private take(message: unknown, handle: unknown): void {
    const answer = DialAnswer.parse(message);
    if ('network' in answer) {
      if (answer.network === this.network) this.isThere.resolve();
      else this.child.kill('SIGKILL');
      return;
    }
    if (handle instanceof Socket) this.answer(answer.id, handle.setNoDelay(true));
    else this.answer(answer.id, new AgentError(answer.error ?? 'bad_gateway', 'The port did not answer'));
  }

  private answer(id: number, answer: Socket | AgentError): void {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    if (resolve) resolve(answer);
    else if (answer instanceof Socket) answer.destroy();
  }

  private fail(cause: unknown, ended: () => void): void {
    const error = new AgentError(
      'unavailable',
      'The agent cannot enter the network of the workspace. It must run as root',
      { cause },
    );
    this.isThere.reject(error);
    for (const id of [...this.waiting.keys()]) this.answer(id, error);
    ended();
  }
}

/**
 * A helper uses as much memory as a small program; it stays for a minute after the last request.
 */
const idleMs = 60_000;

interface ActiveDialer {
  readonly dialer: NetworkDialer;
  timer: NodeJS.Timeout;
}

/** One helper per workspace network that is in use. */
export class NetworkDialers implements AsyncDisposable {
  private readonly kept = new Map<string, ActiveDialer>();

  constructor(
    private readonly log: Log,
    private readonly command: HelperCommand = helperCommand,
  ) {}

  /**
   * @throws AgentError bad_gateway, timed_out, or unavailable when this agent may not enter
   * networks
   */
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

  private begin({ name, pid }: { readonly name: string; readonly pid: number }): ActiveDialer {
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

/**
 * Starts the agent's own program by `nsenter`, which every Linux has, in the network of the process
 * only.
 */
function helperCommand(pid: number): readonly [string, ...string[]] {
  const program = isSea() ? [process.execPath] : [process.execPath, process.argv[1] ?? ''];
  return ['nsenter', `--net=/proc/${pid}/ns/net`, '--', ...program, dialHelperArgument];
}
