import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ControlPlane } from '../control-plane/control-plane.js';
import { Log } from '../shared/log.js';
import { ResourceSpool } from './resource-spool.js';
import { ResourceUploader } from './resource-uploader.js';

const workspaceId = '01JZZZZZZZZZZZZZZZZZZZZZZA';
let folder: string;
let server: Server;
let spool: ResourceSpool;
let uploader: ResourceUploader;
/** Statuses of the next responses, then 200; 0 cuts the connection. */
let statuses: number[];
let received: string[];
let lines: string[];

beforeEach(async () => {
  statuses = [];
  received = [];
  lines = [];
  folder = mkdtempSync(join(tmpdir(), 'uploader-'));
  server = createServer(async (request, response) => {
    received.push((await request.toArray()).join(''));
    const status = statuses.shift() ?? 200;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end('{"error":"CODE","message":"secret-text"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const controlPlane = new ControlPlane(`http://127.0.0.1:${port}`);
  spool = new ResourceSpool(folder, 10_000);
  const log = new Log({ level: 'debug', format: 'json' }, (line) => lines.push(line));
  const send = async (_: string, body: unknown) => {
    await controlPlane.post({ path: '/chunks', body, answer: z.unknown(), timeoutMs: 5_000 });
  };
  uploader = new ResourceUploader(spool, send, log);
  for (const now of [1, 2, 3])
    await spool.publish(workspaceId, now, (n) => `{"chunk":${n},"data":"private"}`);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const chunk = (sequence: number) => `{"chunk":${sequence},"data":"private"}`;
const upload = (monotonicMs: number, isFinal = false) =>
  uploader.upload({ workspaceId, monotonicMs, isFinal });

it('sends the chunks in order and removes them', async () => {
  await upload(0);

  expect(received).toEqual([chunk(1), chunk(2), chunk(3)]);
  expect(await spool.list(workspaceId)).toEqual([]);
});

it.each([429, 500, 503, 0])(
  'keeps a chunk and all later ones after %s, and sends the same bytes later',
  async (status) => {
    statuses = [200, status];

    await upload(0);
    expect(await spool.list(workspaceId)).toEqual([2, 3]);
    await upload(4_999);
    expect(received).toEqual([chunk(1), chunk(2)]);
    await upload(5_000);

    expect(received).toEqual([chunk(1), chunk(2), chunk(2), chunk(3)]);
    expect(await spool.list(workspaceId)).toEqual([]);
  },
);

it('doubles the delay with each failure', async () => {
  statuses = [500, 500];
  await upload(0);
  await upload(5_000);

  await upload(14_999);
  expect(received).toHaveLength(2);
  await upload(15_000);

  expect(await spool.list(workspaceId)).toEqual([]);
});

it('does not wait for the delay when the workspace ends', async () => {
  statuses = [500];
  await upload(0);

  await upload(1, true);

  expect(await spool.list(workspaceId)).toEqual([]);
});

it.each([400, 403, 404, 409, 413])(
  'removes a chunk that gets %s, logs it without content, and continues',
  async (status) => {
    statuses = [status];

    await upload(0);

    expect(received).toEqual([chunk(1), chunk(2), chunk(3)]);
    expect(await spool.list(workspaceId)).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`"status":${status}`);
    expect(lines[0]).not.toMatch(/private|secret-text/);
  },
);

it('removes a damaged file and continues', async () => {
  writeFileSync(join(folder, workspaceId, `${'1'.padStart(20, '0')}.json`), '{"chu');

  await upload(0);

  expect(received).toEqual([chunk(2), chunk(3)]);
  expect(await spool.list(workspaceId)).toEqual([]);
});

it('sends each chunk once when two uploads run at once', async () => {
  await Promise.all([upload(0), upload(0)]);

  expect(received).toEqual([chunk(1), chunk(2), chunk(3)]);
});
