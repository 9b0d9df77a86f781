import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { sendRequest } from './http-request.js';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const bounds = { maxBytes: 10, signal: new AbortController().signal };

it('sends a body with its length and returns the response', async () => {
  const url = await serve(async (request, response) => {
    const [body] = await once(request.setEncoding('utf8'), 'data');
    const { 'content-length': length, 'x-of': of } = request.headers;
    response.writeHead(201, { 'x-received': `${request.method} ${length} ${of} ${body}` }).end('größer');
  });

  const answer = await sendRequest({ ...bounds, url, method: 'POST', headers: { 'x-of': 'me' }, body: 'ä' });

  expect(answer).toMatchObject({ status: 201, isOk: true, headers: { 'x-received': 'POST 2 me ä' } });
  expect(answer.text()).toBe('größer');
});

it('reports an unsuccessful status', async () => {
  const url = await serve((_, response) => response.writeHead(404).end('no'));

  expect(await sendRequest({ ...bounds, url })).toMatchObject({ status: 404, isOk: false });
});

it.each<[string, string, RequestListener]>([
  ['is longer than wanted', 'too long', (_, response) => response.end('elevenbytes')],
  [
    'breaks off',
    'aborted',
    (_, response) => {
      response.writeHead(200, { 'content-length': '9' });
      response.write('four', () => response.destroy());
    },
  ],
])('gives no text of an answer that %s', async (_, reason, respond) => {
  const url = await serve(respond);

  const answer = await sendRequest({ ...bounds, url });

  expect(answer.status).toBe(200);
  expect(answer.text).toThrow(reason);
});

it('does not follow redirects', async () => {
  let asked = 0;
  const url = await serve((_, response) => {
    asked += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });

  await expect(sendRequest({ ...bounds, url })).rejects.toThrow('redirect');
  expect(asked).toBe(1);
});

it('stops when aborted', async () => {
  const ending = new AbortController();
  const url = await serve(() => ending.abort(new Error('enough')));
  await expect(sendRequest({ ...bounds, url, signal: ending.signal })).rejects.toThrow('enough');
});

it('fails when nothing listens', async () => {
  const url = await serve((request) => request.socket.destroy());

  await expect(sendRequest({ ...bounds, url })).rejects.toThrow('hang up');
});
