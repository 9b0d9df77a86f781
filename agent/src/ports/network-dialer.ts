// biome-ignore lint/style/noRestrictedImports: the helper is the agent's own, and every connection waits for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { AgentError } from '../errors.js';
import type { DialRequest } from './dial-first.js';
import { DialAnswer, type DialOrder } from './dial-messages.js';

/** How a process is begun in another one's network: program and arguments. */
export type HelperCommand = (pid: number) => readonly [file: string, ...args: string[]];

/** A helper process in the network of one workspace, which connects there on the agent's behalf. */
export class NetworkDialer {
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (answer: Socket | AgentError) => void>();
  private readonly isThere = Promise.withResolvers<void>();
  private lastId = 0;
  private stderr = '';

  /** @param network the kernel's name of the network that it must find itself in */
  constructor(
    readonly network: string,
    pid: number,
    command: HelperCommand,
  ) {
    const [file, ...args] = command(pid);
    // Nothing of the agent's environment is any business of the helper.
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
    this.child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-1_024);
    });
    this.child.on('message', (message, handle) => this.take(message, handle));
    this.isThere.promise.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (cause) => this.fail(cause, resolve));
      this.child.once('close', () => this.fail(new Error(this.stderr || 'The helper ended'), resolve));
    });
  }

  /** @throws AgentError bad_gateway or timed_out as `dialFirst` does, unavailable when there is no helper */
  async dial(request: DialRequest): Promise<Socket> {
    await this.isThere.promise;
    this.lastId += 1;
    const id = this.lastId;
    const { promise, resolve } = Promise.withResolvers<Socket | AgentError>();
    this.waiting.set(id, resolve);
    this.child.send({ id, ...request } satisfies DialOrder, (error) => {
      if (error) this.answer(id, new AgentError('unavailable', 'The network of the workspace is gone'));
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
    else this.answer(answer.id, new AgentError(answer.error ?? 'bad_gateway', 'The port does not answer'));
  }

  private answer(id: number, answer: Socket | AgentError): void {
    const resolve = this.waiting.get(id);
    this.waiting.delete(id);
    if (resolve) resolve(answer);
    else if (answer instanceof Socket) answer.destroy();
  }

  private fail(cause: unknown, ended: () => void): void {
    const error = new AgentError('unavailable', 'The network of the workspace cannot be entered', { cause });
    this.isThere.reject(error);
    for (const id of [...this.waiting.keys()]) this.answer(id, error);
    ended();
  }
}
