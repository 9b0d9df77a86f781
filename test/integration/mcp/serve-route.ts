import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Invoke } from '../../support/invoke.js';

/** Serves one route over HTTP, for clients that bring a transport of their own. */
export async function serveRoute(invoke: Invoke, method: string) {
  const server = createServer(async (request, response) => {
    if (request.method !== method) {
      response.writeHead(405, { allow: method }).end();
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const reply = await invoke({ headers, body: await text(request) });
    response
      .writeHead(reply.status, reply.headers)
      .end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A TCP server's address is this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
