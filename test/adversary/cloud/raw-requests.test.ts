import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, inject, it } from 'vitest';

// Requests as no client of ours sends them, at each fixed port of the laptop cloud.

const { endpoint, ec2Url, codeHostUrl, url } = inject('cloud');
const ports = { emulator: endpoint, ec2: ec2Url, 'code host': codeHostUrl, front: url } as const;
const closed = 'closed';

interface Answer {
  readonly status: string;
  readonly head: string;
}

/** Sends these lines and reads the head of the answer, or to the end of the connection. */
async function answerTo(origin: string, lines: readonly string[], body = ''): Promise<Answer> {
  using connection = Object.assign(connect({ host: '127.0.0.1', port: Number(new URL(origin).port) }), {
    [Symbol.dispose]: () => connection.destroy(),
  });
  connection.write([...lines, '', body].join('\r\n'));
  let answer = '';
  try {
    for await (const chunk of connection) {
      answer += chunk;
      if (answer.includes('\r\n\r\n')) break;
    }
  } catch {
    // A reset is an end too.
  }
  const [head = ''] = answer.split('\r\n\r\n');
  return { status: head.split(' ')[1] ?? closed, head: head.toLowerCase() };
}

const get = 'GET /api/v3/user HTTP/1.1';
type Row = readonly [what: string, lines: (own: string) => readonly string[]];

const names: readonly Row[] = [
  ['no name', () => ['GET / HTTP/1.0']],
  ['no name in HTTP/1.1', () => [get]],
  ['another name before its own', (own) => [get, 'Host: evil.example', `Host: ${own}`]],
  ['its own name in the target alone', (own) => [`GET http://${own}/ HTTP/1.1`, 'Host: evil.example']],
  ['its own name in X-Forwarded-Host', (own) => [get, 'Host: evil.example', `X-Forwarded-Host: ${own}`]],
  ['its own name behind a user', (own) => [get, `Host: evil@${own}`]],
  ['another name in capitals', () => [get, 'HOST: EVIL.EXAMPLE']],
  ['an IPv4 address in an IPv6 one', () => [get, 'Host: [::ffff:127.0.0.1]']],
  ['an address of all interfaces', () => [get, 'Host: 0.0.0.0']],
];

const pages: readonly Row[] = [
  ['no origin in a header of it', (own) => [get, `Host: ${own}`, 'Origin:']],
  ['the origin null', (own) => [get, `Host: ${own}`, 'ORIGIN: null']],
  ['two origins', (own) => [get, `Host: ${own}`, `Origin: http://${own}`, 'Origin: http://evil']],
  ['two sites', (own) => [get, `Host: ${own}`, 'Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site']],
  ['a site in capitals', (own) => [get, `Host: ${own}`, 'SEC-FETCH-SITE: Cross-Site']],
  ['a preflight', (own) => [`OPTIONS / HTTP/1.1`, `Host: ${own}`, 'Origin: http://evil']],
];

const hidden = '0\r\n\r\nGET /_ministack/health HTTP/1.1\r\nHost: x\r\n\r\n';
const lengths: readonly Row[] = [
  [
    'two lengths of the body',
    (own) => ['POST / HTTP/1.1', `Host: ${own}`, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
  ],
  ['an unknown coding', (own) => ['POST / HTTP/1.1', `Host: ${own}`, 'Transfer-Encoding: xchunked']],
];

const socket = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';

describe.each(Object.entries(ports))('the %s', (name, origin) => {
  const own = new URL(origin).host;
  const refused = ['400', '403', '501', closed];

  it.each(names)('serves nobody who sends %s', async (_what, lines) => {
    expect(refused).toContain((await answerTo(origin, lines(own))).status);
  });

  it.each(lengths)('serves nobody who sends %s', async (_what, lines) => {
    expect(refused).toContain((await answerTo(origin, lines(own), hidden)).status);
  });

  it.skipIf(name === 'front').each(pages)('serves no page that sends %s', async (_what, lines) => {
    const { status, head } = await answerTo(origin, lines(own));

    expect(status).toBe('403');
    expect(head).not.toContain('access-control-');
  });

  it.each([
    ['another name', ['Host: evil.example', ...socket]],
    ['another origin', [`Host: ${own}`, 'Origin: http://evil', ...socket]],
  ])('opens no socket to %s', async (_what, lines) => {
    const { status } = await answerTo(origin, ['GET /live HTTP/1.1', ...lines, key]);

    // A port without sockets reads it as a request.
    expect(['400', '401', '403', '404', closed]).toContain(status);
  });
});

it('the front is no tunnel of another protocol to the emulator', async () => {
  const lines = [get, `Host: ${new URL(url).host}`, 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings'];

  expect((await answerTo(url, lines)).status).toBe('400');
});

it('the front opens no socket of a workspace to another name', async () => {
  const lines = [
    'GET /ws/01j0000000000000000000000a/terminal HTTP/1.1',
    'Host: evil.example',
    ...socket,
    key,
  ];

  expect((await answerTo(url, lines)).status).toBe('403');
});

it.each([
  ['another name', { ':authority': 'evil.example' }],
  ['no signature', { ':authority': new URL(endpoint).host }],
  ['a page', { ':authority': new URL(endpoint).host, origin: 'http://evil' }],
])('the emulator serves nobody over HTTP/2 with %s', async (_what, headers) => {
  const session = connectHttp2(endpoint);
  try {
    const stream = session.request({ ':path': '/_ministack/health', ...headers });
    const [answer] = await once(stream, 'response');

    expect(answer[':status']).toBe(403);
  } finally {
    session.destroy();
  }
});

it.each([
  '/api/@connections/x',
  '/api/%40connections/x',
  '/api/%2540connections/x',
  '/api/../../x/@connections/x',
])('the front hands on no call of a connection: %s', async (path) => {
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Content-Length: 0'];

  expect(['403', '404']).toContain((await answerTo(url, lines)).status);
});

it.each(['/api/../../../../2015-03-31/functions/', '/api/..%2f..%2f..%2f..%2f2015-03-31/functions/'])(
  'the front hands on no path that leaves the API: %s',
  async (path) => {
    const { status } = await answerTo(url, [`GET ${path} HTTP/1.1`, `Host: ${new URL(url).host}`]);

    expect(['403', '404']).toContain(status);
  },
);
