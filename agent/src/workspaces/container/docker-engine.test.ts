import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, expect, it, vi } from 'vitest';
import { processesByCommand } from '../../../../test/support/processes-by-command.js';
import { DockerEngine } from './docker-engine.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const standardLimits = { shutdownMs: 15_000, closedMs: 60_000, stopAnswerMs: 20_000 };

/**
 * A fake engine: answers the given number of pings, fails every other request with a status. 0: it
 * answers none.
 */
async function engineThat(
  { status, pings, message = 'failed' }: { status: number; pings: number; message?: string },
  longest?: Partial<typeof standardLimits>,
) {
  let answered = 0;
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.url !== '/_ping') {
      if (status > 0) response.writeHead(status).end(JSON.stringify({ message }));
      return;
    }
    if (answered === pings) {
      response.destroy();
      return;
    }
    answered += 1;
    response.end('OK');
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return new DockerEngine(new Docker({ protocol: 'http', host: '127.0.0.1', port }), {
    ...standardLimits,
    ...longest,
  });
}

async function failureOf(engine: DockerEngine): Promise<unknown> {
  return engine.docker
    .getContainer('any')
    .start()
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

const { signal } = new AbortController();

it('treats a failure as a shutdown when the engine stops soon after', async () => {
  const engine = await engineThat({ status: 500, pings: 3 });
  expect(await engine.isUnavailable(await failureOf(engine), signal)).toBe(true);
});

it('keeps a failure when the engine continues to run', async () => {
  const engine = await engineThat({ status: 500, pings: Number.POSITIVE_INFINITY }, { shutdownMs: 300 });
  expect(await engine.isUnavailable(await failureOf(engine), signal)).toBe(false);
});

it('waits longer for the end of an engine that has closed its store', async () => {
  const message = 'failed to update store for object type *libnetwork.endpoint: open : no such file';
  const engine = await engineThat({ status: 500, pings: 5, message }, { shutdownMs: 1 });
  expect(await engine.isUnavailable(await failureOf(engine), signal)).toBe(true);
});

it('does not wait for a shutdown after a client error', async () => {
  const engine = await engineThat({ status: 409, pings: 0 });
  expect(await engine.isUnavailable(await failureOf(engine), signal)).toBe(false);
});

it('does not wait for ever for the answer to a stop', async () => {
  const engine = await engineThat({ status: 0, pings: 0 }, { stopAnswerMs: 50 });
  await expect(engine.stopContainer('any', 0)).rejects.toThrow(/abort/i);
});

it.each([500, 404])(
  'leaves no program behind when a folder cannot be put into a container (%i)',
  async (status) => {
    const engine = await engineThat({ status, pings: 0 });
    const from = mkdtempSync(join(tmpdir(), 'packed-'));
    // More than the buffers between program and engine.
    writeFileSync(join(from, 'large'), Buffer.alloc(32 * 1_048_576));

    await expect(engine.copyFolder('any', { from, to: '/' })).rejects.toThrow();

    await vi.waitFor(() => expect(processesByCommand(from)).toEqual([]));
  },
);
