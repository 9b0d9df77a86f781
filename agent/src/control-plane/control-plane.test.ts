import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CallbackUnavailable } from './callback-errors.js';
import { ControlPlane } from './control-plane.js';

let server: Server;
let answer: { readonly status: number; readonly text: string };

beforeEach(async () => {
  server = createServer((_request, response) => {
    response.writeHead(answer.status).end(answer.text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => server.close());

function post(schema: z.ZodMiniType) {
  const { port } = server.address() as AddressInfo;
  const controlPlane = new ControlPlane(`http://127.0.0.1:${port}`);
  return controlPlane.post({ path: '/any', body: {}, answer: schema, timeoutMs: 5_000 });
}

describe('a callback', () => {
  it('succeeds on a response without content', async () => {
    answer = { status: 204, text: '' };

    await expect(post(z.unknown())).resolves.toBeNull();
  });

  it.each(['', '{"status":'])('fails on the body %j where content is required', async (text) => {
    answer = { status: 200, text };

    await expect(post(z.object({ status: z.string() }))).rejects.toThrow(CallbackUnavailable);
  });
});
