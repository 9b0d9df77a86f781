import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { client, methods } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { OrderedStream } from './ordered-stream.js';

/**
 * An SDK client whose handler waits as many event-loop turns as the update says; -1: until
 * released.
 */
function listen(options: { readonly serializeTimeoutMs?: number; readonly maxLineBytes?: number } = {}) {
  const input = new PassThrough();
  const output = new PassThrough();
  const log: string[] = [];
  const held = Promise.withResolvers<void>();
  const ordered = new OrderedStream({
    input,
    output,
    serializeTimeoutMs: options.serializeTimeoutMs ?? 5_000,
    maxLineBytes: options.maxLineBytes ?? 1_000_000,
    // As `update` below makes them.
    onUpdate: (params) => handle(params as Handled, log, held.promise),
  });
  const connection = client({ name: 'test' })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      log.push(`asked ${params.path}`);
      return { content: '' };
    })
    .connect(ordered.stream);
  const say = (...messages: object[]) =>
    input.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  return { input, output, log, connection, say, release: held.resolve };
}

interface Handled {
  readonly n: number;
  readonly turns: number;
}

/** On the spot where no turn is asked for, as most updates are. */
function handle({ n, turns }: Handled, log: string[], held: Promise<void>): void | Promise<void> {
  log.push(`begin ${n}`);
  if (turns < 0) return held;
  if (turns > 0) return handleSlowly(turns).then(() => void log.push(`end ${n}`));
  log.push(`end ${n}`);
}

async function handleSlowly(turns: number): Promise<void> {
  for (let left = turns; left > 0; left -= 1) await turn();
}

function update(n: number, turns: number) {
  return { method: 'session/update', params: { n, turns } };
}

async function answered(
  connection: ReturnType<typeof listen>['connection'],
  log: string[],
): Promise<string[]> {
  await connection.agent.request(methods.agent.session.prompt, { sessionId: 's', prompt: [] });
  log.push('answered');
  return log;
}

describe('updates of a harness', () => {
  it('never overlap, keep their order, and precede the answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
        async (turns, cuts) => {
          const { input, log, connection } = listen();
          const done = answered(connection, log);
          const messages = [
            ...turns.map((count, n) => ({ jsonrpc: '2.0', ...update(n, count) })),
            { jsonrpc: '2.0', id: 0, result: { stopReason: 'end_turn' } },
          ];
          const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
          // However the bytes come in pieces.
          for (let from = 0, piece = 0; from < bytes.length; piece += 1) {
            const size = cuts[piece % cuts.length] ?? 1;
            input.write(bytes.subarray(from, from + size));
            from += size;
          }

          expect(await done).toEqual([...turns.flatMap((_, n) => [`begin ${n}`, `end ${n}`]), 'answered']);
          connection.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('do not delay other messages', async () => {
    const { say, log, connection } = listen();

    say(update(1, -1), update(2, 0), {
      id: 7,
      method: 'fs/read_text_file',
      params: { sessionId: 's', path: 'a' },
    });
    await expect.poll(() => log).toContain('asked a');

    expect(log).not.toContain('begin 2');
    connection.close();
  });

  it('wait for a blocked update no longer than the limit', async () => {
    const { say, log, connection } = listen({ serializeTimeoutMs: 20 });

    say(update(1, -1), update(2, 0));
    await expect.poll(() => log).toContain('end 2');

    expect(log).not.toContain('end 1');
    connection.close();
  });

  it('stop reading from the harness when too many wait', async () => {
    const { input, log, connection, say, release } = listen({ serializeTimeoutMs: 60_000 });
    const notTaken = () => input.readableLength + input.writableLength;
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...update(2, 0) })}\n`;

    say(update(1, -1));
    for (let hundreds = 0; hundreds < 40; hundreds += 1) input.write(line.repeat(100));
    await expect.poll(() => log).toEqual(['begin 1']);
    for (let turns = 0; turns < 100; turns += 1) await turn();
    expect(notTaken()).toBeGreaterThan(0);

    release();
    await expect.poll(() => log.filter((entry) => entry === 'end 2')).toHaveLength(4_000);
    expect(notTaken()).toBe(0);
    connection.close();
  });
});

describe('the connection', () => {
  it('ends with the output of the harness, after earlier messages', async () => {
    const { input, say, log, connection } = listen();

    say(update(1, 5));
    input.end();
    await connection.closed;

    expect(log).toEqual(['begin 1', 'end 1']);
  });

  it('ends when a message exceeds the limit, without buffering it', async () => {
    const { input, connection } = listen({ maxLineBytes: 100 });

    input.write('x'.repeat(101));
    await connection.closed;

    expect(connection.signal.reason).toMatchObject({ name: 'LineTooLong' });
  });

  it('ignores output that is no message', async () => {
    const { input, say, log, connection } = listen();

    input.write('npm warn\n[]\n{"jsonrpc":"1.0"}\n\n');
    say(update(1, 0));
    await expect.poll(() => log).toContain('end 1');

    expect(connection.signal.aborted).toBe(false);
    connection.close();
  });
});

describe('other output of a harness', () => {
  const printed = async (input: PassThrough, line: string, times: number) => {
    const lines = Buffer.from(line.repeat(1_024));
    for (let left = times; left > 0; left -= 1)
      if (!input.write(lines)) await new Promise((resolve) => input.once('drain', resolve));
  };
  const line = `${'x'.repeat(1_023)}\n`;

  it('is left out, however much there is in all', async () => {
    const { input, log, say } = listen();

    for (const n of [1, 2, 3]) {
      await printed(input, line, 10);
      say(update(n, 0));
    }

    await vi.waitFor(() => expect(log).toContain('end 3'));
  });

  it.each(['x', '{'])(
    'ends the connection at more than 16 MiB of lines "%s" without a message',
    async (first) => {
      const { input, connection } = listen();
      input.on('error', () => undefined);

      void printed(input, first + line.slice(1), 17);
      await connection.closed;

      expect(connection.signal.reason).toMatchObject({ name: 'TooMuchOtherOutput' });
    },
  );
});
