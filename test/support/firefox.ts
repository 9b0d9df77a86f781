import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import * as z from 'zod/mini';

const candidates = [process.env.BERTH_FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** Where Firefox is, or nothing. */
export const firefoxPath: string | undefined = candidates.find((path) => {
  try {
    if (path) accessSync(path, constants.X_OK);
    return Boolean(path);
  } catch {
    return false;
  }
});

const Reply = z.looseObject({
  type: z.string(),
  id: z.optional(z.int()),
  method: z.optional(z.string()),
  result: z.optional(z.looseObject({})),
  params: z.optional(z.looseObject({})),
});
type Result = Record<string, unknown>;

/** Firefox by WebDriver BiDi: Playwright's client drives only a Firefox of its own. */
export class Firefox implements AsyncDisposable {
  readonly problems: string[] = [];
  private readonly waiting = new Map<number, (reply: z.infer<typeof Reply>) => void>();
  private context = '';
  private sent = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly socket: WebSocket,
    private readonly folder: string,
  ) {
    socket.on('message', (data) => this.received(Reply.parse(JSON.parse(String(data)))));
  }

  static async start(path: string): Promise<Firefox> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-firefox-'));
    const options = ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port=0'];
    const child = spawn(path, options, { stdio: ['ignore', 'ignore', 'pipe'] });
    const address = await listening(child);
    const socket = new WebSocket(`${address}/session`);
    await once(socket, 'open');
    const firefox = new Firefox(child, socket, folder);
    await firefox.call('session.new', { capabilities: {} });
    await firefox.call('session.subscribe', { events: ['log.entryAdded'] });
    const { contexts } = await firefox.call('browsingContext.getTree', {});
    firefox.context = z.array(z.looseObject({ context: z.string() })).parse(contexts)[0]?.context ?? '';
    return firefox;
  }

  async goto(url: string): Promise<void> {
    await this.call('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  /** A text, number or boolean that the page computes; a promise is awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const target = { context: this.context };
    const { result } = await this.call('script.evaluate', { expression, target, awaitPromise: true });
    return z.looseObject({ value: z.optional(z.unknown()) }).parse(result).value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.close();
    if (this.child.exitCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async call(method: string, params: object): Promise<Result> {
    this.sent += 1;
    const id = this.sent;
    const { promise, resolve } = Promise.withResolvers<z.infer<typeof Reply>>();
    this.waiting.set(id, resolve);
    this.socket.send(JSON.stringify({ id, method, params }));
    const reply = await promise;
    if (reply.type !== 'success') throw new Error(`${method}: ${JSON.stringify(reply)}`);
    return reply.result ?? {};
  }

  private received(reply: z.infer<typeof Reply>): void {
    if (reply.id !== undefined) this.waiting.get(reply.id)?.(reply);
    if (reply.method !== 'log.entryAdded' || reply.params?.level !== 'error') return;
    const text = String(reply.params.text);
    // Firefox reports the live socket of a page that a person leaves.
    if (!/interrupted while the page was loading/.test(text)) this.problems.push(text);
  }
}

/** Firefox prints where it listens. */
async function listening(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('Firefox has no error output');
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (!address) continue;
    child.stderr.resume();
    return address;
  }
  throw new Error('Firefox ended before it listened');
}
