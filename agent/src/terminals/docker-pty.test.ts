import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { openDockerPty } from './docker-pty.js';
import { mostWaitingBytes } from './input-queue.js';

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

it('keeps no more input for a program that never reads than it may', () => {
  const { pty, stream } = open(async () => undefined);

  for (let megabytes = 0; megabytes < 20; megabytes += 1) pty.write(Buffer.alloc(2 ** 20, 'x'));

  expect(stream.writableLength).toBe(mostWaitingBytes);
});

it('lets go of a shell that cannot be signalled', async () => {
  const paused = new Error('Container is paused');
  const { pty, errors } = open(() => Promise.reject(paused));
  const exited = new Promise((resolve) => pty.onExit(resolve));

  pty.kill();

  expect(await exited).toEqual({ exitCode: null, signal: null });
  expect(errors).toEqual([paused]);
});
