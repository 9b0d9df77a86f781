import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { LatestOnly, openDockerPty } from './docker-pty.js';
import { maxQueuedInputBytes } from './pty-io.js';

function open(signal: () => Promise<void>) {
  const stream = new Duplex({ read: () => undefined, write: () => undefined });
  const errors: unknown[] = [];
  const pty = openDockerPty({
    stream,
    resize: async () => undefined,
    exitCode: async () => null,
    signal,
    onError: (error) => errors.push(error),
  });
  return { stream, pty, errors };
}

it('bounds queued input for a program that never reads', () => {
  const { pty, stream } = open(async () => undefined);

  for (let megabytes = 0; megabytes < 20; megabytes += 1) pty.write(Buffer.alloc(2 ** 20, 'x'));

  expect(stream.writableLength).toBe(maxQueuedInputBytes);
});

it('closes a shell that cannot be signalled', async () => {
  const paused = new Error('Container is paused');
  const { pty, errors } = open(() => Promise.reject(paused));
  const exited = new Promise((resolve) => pty.onExit(resolve));

  pty.kill();

  expect(await exited).toEqual({ exitCode: null, signal: null });
  expect(errors).toEqual([paused]);
});

it('runs one at a time, skips replaced values and ends with the last', async () => {
  const done: number[] = [];
  const gates: (() => void)[] = [];
  const latest = new LatestOnly<number>(
    async (value) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      done.push(value);
    },
    () => undefined,
  );
  for (const value of [1, 2, 3]) latest.take(value);
  expect(gates).toHaveLength(1);

  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  await expect.poll(() => done).toEqual([1, 3]);
});

it('continues after a failure', async () => {
  const failures: unknown[] = [];
  const done: number[] = [];
  const latest = new LatestOnly<number>(
    async (value) => {
      if (value === 1) throw new Error('no');
      done.push(value);
    },
    (error) => failures.push(error),
  );
  latest.take(1);
  latest.take(2);

  await expect.poll(() => done).toEqual([2]);
  expect(failures).toHaveLength(1);
});
