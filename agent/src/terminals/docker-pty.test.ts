import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { openDockerPty } from './docker-pty.js';
import { mostWaitingBytes } from './input-queue.js';

it('keeps no more input for a program that never reads than it may', () => {
  const stream = new Duplex({ read: () => undefined, write: () => undefined });
  const pty = openDockerPty({
    stream,
    resize: async () => undefined,
    exitCode: async () => null,
    signal: async () => undefined,
    onError: () => undefined,
  });

  for (let megabytes = 0; megabytes < 20; megabytes += 1) pty.write(Buffer.alloc(2 ** 20, 'x'));

  expect(stream.writableLength).toBe(mostWaitingBytes);
});
