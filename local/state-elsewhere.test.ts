import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { servesAnybody } from './state-elsewhere.js';

it.each([
  [200, true],
  [403, false],
])(
  'knows by the answer %i to an unsigned call whether an emulator serves anybody: %s',
  async (status, expected) => {
    const server = createServer((request, response) => {
      expect(request.headers.authorization).toBeUndefined();
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    expect(await servesAnybody(`http://127.0.0.1:${port}`)).toBe(expected);

    server.closeAllConnections();
    server.close();
  },
);
