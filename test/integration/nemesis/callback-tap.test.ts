import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forward } from '../../../local/front/forward.js';
import { Random } from '../../nemesis/agent/random.js';
import { CallbackTap } from '../../nemesis/cloud/callback-tap.js';
import type { CloudHistory } from '../../nemesis/cloud/cloud-history.js';

/** A front that passes on, as that of the laptop cloud does, to what stands for the API. */
const received: { readonly authorization: string | undefined; readonly body: Batch }[] = [];
const repeats: CloudHistory['repeats'] = [];
let servers: readonly Server[];
let url: string;
let tap: CallbackTap;

interface Batch {
  readonly generation: number;
  readonly messages: readonly { readonly sessionId: string; readonly sequence: number }[];
}

const path = '/api/workspaces/w/messages';

beforeEach(async () => {
  received.length = 0;
  repeats.length = 0;
  const api = createServer(async (request, response) => {
    received.push({ authorization: request.headers.authorization, body: JSON.parse(await text(request)) });
    response.end('{}');
  });
  const apiPort = await listen(api);
  const front = createServer((request, response) => {
    const { url: asked = '', headers } = request;
    const upstream = { protocol: 'http:', port: apiPort, path: `/prefix${asked}`, headers } as const;
    forward(upstream, request, response);
  });
  url = `http://127.0.0.1:${await listen(front)}`;
  servers = [front, api];
  tap = new CallbackTap(url, repeats);
});

afterEach(() => {
  tap[Symbol.dispose]();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on TCP, so its address has a port.
  return (server.address() as AddressInfo).port;
}

async function report(...sequences: number[]): Promise<void> {
  const messages = sequences.map((sequence) => ({ sessionId: 's', sequence }));
  const body = JSON.stringify({ generation: 3, messages });
  await fetch(`${url}${path}`, { method: 'POST', headers: { authorization: 'Bearer node' }, body });
}

it('has nothing to repeat before a node has reported anything, and takes nothing else for that', async () => {
  await fetch(`${url}/api/workspaces/w/ready`, { method: 'POST', body: '{}' });

  expect(await tap.repeat(new Random(1))).toBe(false);
});

it('repeats what a node has reported as it was, overlapping, and as of another generation', async () => {
  await report(1, 2);
  await report(3, 4);
  const reported = received.length;
  const random = new Random(1);

  while (new Set(repeats.map(({ as }) => as)).size < 3) expect(await tap.repeat(random)).toBe(true);

  const again = received.slice(reported);
  expect(again).toHaveLength(repeats.length);
  expect(new Set(again.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer node']));
  const sequences = ({ messages }: Batch) => messages.map(({ sequence }) => sequence).join();
  for (const [index, { as, status }] of repeats.entries()) {
    const { generation = 0, messages = [] } = again[index]?.body ?? {};
    expect(status).toBe(200);
    expect(generation).toBe(as === 'other_generation' ? 4 : 3);
    expect(as === 'overlapping' ? ['3,4', '2,3,4', '2,3'] : ['1,2', '3,4']).toContain(
      sequences({ generation, messages }),
    );
  }
});
