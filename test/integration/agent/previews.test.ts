import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answerTo, ask, begin, type PreviewRequest, PreviewSocket, read } from './preview-client.js';
import { freePort, PreviewNode, previewNetworks } from './preview-node.js';

const waiting = { timeout: 15_000, interval: 20 };
const mebibyte = 1_024 * 1_024;

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly rawTrailers: readonly string[];
  readonly body: string;
}

/** Values of a header as the service received them. */
function valuesOf({ rawHeaders }: Pick<Echo, 'rawHeaders'>, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

describe.each(previewNetworks)('previews of $name', (kind) => {
  let node: PreviewNode;
  let one: string;
  let two: string;
  let port: number;
  let token: string;
  let base: string;

  beforeAll(async () => {
    node = await PreviewNode.start(kind, {
      PORT_PROXY_HEADER_TIMEOUT: '1s',
      PORT_PROXY_CONNECT_TIMEOUT: '1s',
    });
    [one, two] = [await node.workspace(), await node.workspace()];
    port = await node.serve(one);
    token = await node.fake.terminal(one);
    base = `/workspaces/${one}/ports/${port}`;
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const bearer = () => ({ authorization: `Bearer ${token}` });
  /** As the workspace's owner, by bearer token. */
  const asked = (path: string, more: Omit<PreviewRequest, 'path'> = {}) =>
    ask(node.agent, { ...more, path: base + path, headers: { ...bearer(), ...more.headers } });
  const echoed = async (path: string, more: Omit<PreviewRequest, 'path'> = {}): Promise<Echo> => {
    const { status, text } = await asked(path, more);
    expect(status).toBe(200);
    return JSON.parse(text);
  };
  const closed = async (): Promise<string[]> => JSON.parse((await asked('/closed')).text);
  const cookieOf = async (workspaceId = one): Promise<string> => {
    const authorization = `Bearer ${await node.fake.terminal(workspaceId)}`;
    const path = `/workspaces/${workspaceId}/ports/${port}/echo`;
    const { headers } = await ask(node.agent, { path, headers: { authorization } });
    return (
      headers['set-cookie']?.find((cookie) => cookie.startsWith('__Host-vm_session_'))?.split(';')[0] ?? ''
    );
  };

  describe('requests', () => {
    it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'QUERY'])(
      'come by %s',
      async (method) => {
        expect(await echoed('/echo', { method })).toMatchObject({ method, url: '/echo', body: '' });
        const headers = { 'content-length': 4 };
        expect(await echoed('/echo', { method, headers, body: 'body' })).toMatchObject({
          method,
          body: 'body',
        });
      },
    );

    it('keep their path byte for byte, also an empty one', async () => {
      const path = "/a%2Fb/%zz/..%2f/%E2%82%AC//c/;x='1'?q=%zz&r=a+b&&token=own&s";
      expect((await echoed(path)).url).toBe(path);
      expect((await echoed('')).url).toBe('/');
      expect((await echoed('?q=1')).url).toBe('/?q=1');
    });

    it('pass bodies of any type and length', async () => {
      for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'x/y']) {
        const body = 'no json {'.repeat(60_000);
        const headers = { 'content-type': type };
        expect(await echoed('/echo', { method: 'POST', headers, body }), type).toMatchObject({ body });
      }
    });

    it('pass trailers', async () => {
      const sent = begin(node.agent, {
        method: 'POST',
        path: `${base}/echo`,
        headers: { ...bearer(), 'transfer-encoding': 'chunked', trailer: 'x-sum', te: 'trailers' },
      });
      const answered = answerTo(sent);
      sent.write('body');
      sent.addTrailers({ 'x-sum': '4' });
      sent.end();
      const echo: Echo = JSON.parse((await read(await answered)).text);
      expect(echo).toMatchObject({ body: 'body', rawTrailers: ['x-sum', '4'] });
      expect(valuesOf(echo, 'te')).toEqual(['trailers']);
    });

    it('have forwarding headers of the agent, not of the client', async () => {
      const headers = {
        host: 'ws-x.example.com:8443',
        forwarded: 'for=1.2.3.4',
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'gopher',
        'x-forwarded-prefix': '/evil',
        'x-real-ip': '1.2.3.4',
        'x-own': 'kept',
      };
      const echo = await echoed('/echo', { headers });
      expect(valuesOf(echo, 'host')).toEqual([`localhost:${port}`]);
      expect(valuesOf(echo, 'x-forwarded-for')).toEqual(['127.0.0.1']);
      expect(valuesOf(echo, 'x-forwarded-host')).toEqual(['ws-x.example.com:8443']);
      expect(valuesOf(echo, 'x-forwarded-proto')).toEqual(['https']);
      expect(valuesOf(echo, 'x-forwarded-prefix')).toEqual([base]);
      expect(valuesOf(echo, 'forwarded')).toEqual([]);
      expect(valuesOf(echo, 'x-real-ip')).toEqual([]);
      expect(valuesOf(echo, 'x-own')).toEqual(['kept']);
    });

    it('lose hop-by-hop headers and platform credentials', async () => {
      const headers = {
        connection: 'keep-alive, x-hop',
        'x-hop': 'secret',
        'keep-alive': 'timeout=5',
        'proxy-authorization': 'Basic secret',
        cookie: `a=1; __Host-vm_session_${one}_${port}=secret; vm_session=secret; __Host-berth_session=secret; b=2`,
        referer: `https://node/workspaces/x?token=${token}`,
      };
      const echo = await echoed(`/echo?token=${token}&kept=1`, { headers });
      expect(JSON.stringify(echo)).not.toMatch(/secret/);
      expect(JSON.stringify(echo)).not.toContain(token);
      expect(valuesOf(echo, 'cookie')).toEqual(['a=1; b=2']);
      expect(valuesOf(echo, 'authorization')).toEqual([]);
      expect(echo.url).toBe('/echo?kept=1');
    });

    it('wait for 100-continue of the service', async () => {
      const headers = { ...bearer(), expect: '100-continue', 'content-length': 4 };
      const sent = begin(node.agent, { method: 'POST', path: `${base}/echo`, headers });
      const answered = answerTo(sent);
      await new Promise((resolve) => sent.once('continue', resolve));
      sent.end('body');
      expect(JSON.parse((await read(await answered)).text)).toMatchObject({ body: 'body' });

      const refused = begin(node.agent, { method: 'POST', path: `${base}/refuse-upload`, headers });
      let wasWanted = false;
      refused.once('continue', () => {
        wasWanted = true;
      });
      refused.flushHeaders();
      expect((await answerTo(refused)).statusCode).toBe(413);
      expect(wasWanted).toBe(false);
      refused.destroy();
    });
  });

  describe('answers', () => {
    it('keep their headers, except those that affect the platform or the whole origin', async () => {
      const { rawHeaders } = await asked('/headers', { headers: { cookie: await cookieOf() } });
      const values = (name: string) => valuesOf({ rawHeaders }, name);
      expect(values('set-cookie')).toEqual([`theme=dark; HttpOnly; Path=${base}/`]);
      expect(values('clear-site-data')).toEqual(['"cache"']);
      expect(values('x-many')).toEqual(['one', 'two']);
      for (const name of ['x-hop', 'service-worker-allowed', 'alt-svc'])
        expect(values(name), name).toEqual([]);
    });

    it.each([
      ['/login', (at: string) => `${at}/login`],
      ['next', () => 'next'],
      ['http://localhost:PORT/a?b#c', (at: string) => `${at}/a?b#c`],
      ['http://127.0.0.1:PORT', (at: string) => `${at}/`],
      ['https://HOST/a', (at: string) => `${at}/a`],
      ['BASE/a', (at: string) => `${at}/a`],
      ['https://example.com/a', () => 'https://example.com/a'],
      ['//example.com/a', () => '//example.com/a'],
    ])('that redirect to %s lead to where the client sees that', async (to, expected) => {
      const filled = to
        .replace('PORT', String(port))
        .replace('HOST', `127.0.0.1:${node.agent.port}`)
        .replace('BASE', base);
      const { status, headers } = await asked(`/redirect?to=${encodeURIComponent(filled)}`);
      expect([status, headers.location]).toEqual([302, expected(base)]);
    });

    it('have no body where HTTP forbids one', async () => {
      for (const code of [204, 304]) {
        const answer = await asked(`/status?code=${code}`);
        expect(answer).toMatchObject({ status: code, text: '' });
        expect(answer.headers).not.toHaveProperty('transfer-encoding');
      }
      const head = await asked('/download?bytes=1000', { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '1000' } });
    });

    it('pass trailers', async () => {
      expect(await asked('/trailers')).toMatchObject({ text: 'body', trailers: { 'x-sum': '4' } });
    });

    it('are streamed while the request is still being sent', async () => {
      const sent = begin(node.agent, { method: 'POST', path: `${base}/events`, headers: bearer() });
      sent.flushHeaders();
      const answer = await answerTo(sent);
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      await vi.waitFor(() => expect(text).toBe('data: first\n\n'), waiting);
      sent.write('second');
      await vi.waitFor(() => expect(text).toBe('data: first\n\ndata: second\n\n'), waiting);
      sent.destroy();
      await vi.waitFor(async () => expect(await closed()).toContain('/events'), waiting);
    });
  });

  describe('bodies of half a gibibyte', () => {
    const size = 512 * mebibyte;
    const peak = () =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${node.agent.pid}/status`, 'utf8'))?.[1]) / 1_024;

    it('stream both ways with bounded memory', async () => {
      const before = peak();
      const download = begin(node.agent, { path: `${base}/download?bytes=${size}`, headers: bearer() });
      const answered = answerTo(download);
      download.end();
      let received = 0;
      for await (const chunk of await answered) received += (chunk as Buffer).length;
      expect(received).toBe(size);

      const upload = begin(node.agent, { method: 'POST', path: `${base}/upload`, headers: bearer() });
      const taken = answerTo(upload);
      const block = Buffer.alloc(mebibyte);
      for (let sent = 0; sent < size; sent += block.length) {
        if (!upload.write(block)) await new Promise((resolve) => upload.once('drain', resolve));
      }
      upload.end();
      expect((await read(await taken)).text).toBe(String(size));
      expect(peak() - before).toBeLessThan(128);
    });

    it('apply backpressure to a client that does not read', async () => {
      const before = peak();
      const download = begin(node.agent, { path: `${base}/download?bytes=${size}`, headers: bearer() });
      const answered = answerTo(download);
      download.end();
      const answer = await answered;
      answer.pause();
      // Other requests continue during that time.
      for (let time = 0; time < 20; time++) expect((await asked('/echo')).status).toBe(200);
      expect(peak() - before).toBeLessThan(128);
      download.destroy();
    });
  });

  describe('WebSockets', () => {
    it('pass both ways, with path and query unchanged', async () => {
      const own = 'Origin' as const;
      const path = `/socket%2F?token=vite&x=%zz`;
      const socket = await PreviewSocket.open(node.agent, base + path, {
        ...bearer(),
        [own]: 'https://elsewhere.example',
      });
      socket.socket.send('hello');
      await vi.waitFor(() => expect(socket.messages).toHaveLength(2), waiting);
      const request: Echo = JSON.parse(socket.messages[0] ?? '{}');
      expect(request.url).toBe(path);
      expect(valuesOf(request, 'host')).toEqual([`localhost:${port}`]);
      expect(valuesOf(request, 'authorization')).toEqual([]);
      expect(valuesOf(request, 'x-forwarded-prefix')).toEqual([base]);
      expect(socket.messages[1]).toBe('hello');
      socket.socket.close();
    });

    it('end on both sides together', async () => {
      const one = await PreviewSocket.open(node.agent, `${base}/ended-by-client`, bearer());
      one.socket.terminate();
      await vi.waitFor(async () => expect(await closed()).toContain('/ended-by-client'), waiting);
    });

    it('are refused as the service refuses them', async () => {
      await expect(PreviewSocket.open(node.agent, `${base}/refuse`, bearer())).rejects.toThrow(
        'refused with 403',
      );
    });

    it('are refused without a token, and for other protocols', async () => {
      await expect(PreviewSocket.open(node.agent, `${base}/x`)).rejects.toThrow('refused with 401');
      const headers = { ...bearer(), connection: 'Upgrade', upgrade: 'h2c' };
      const sent = begin(node.agent, { path: `${base}/x`, headers });
      sent.end();
      expect((await answerTo(sent)).statusCode).toBe(400);
      sent.destroy();
    });

    it('end with the sign-in session', async () => {
      const session = ulid();
      const ending = await node.fake.sign({
        ...{ aud: 'workspace-terminal', sub: ulid(), workspace: one, generation: 1, session },
        node: (await import('./fake-control-plane.js')).nodeId,
      });
      const socket = await PreviewSocket.open(node.agent, `${base}/x`, { authorization: `Bearer ${ending}` });
      const path = `${base}/echo`;
      const { headers } = await ask(node.agent, { path, headers: { authorization: `Bearer ${ending}` } });
      const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      expect((await ask(node.agent, { path, headers: { cookie } })).status).toBe(200);

      await node.agent.call('POST', '/sessions/ended', await node.fake.management(), { sessions: [session] });

      await vi.waitFor(() => expect(socket.closed).toBe(true), waiting);
      expect((await ask(node.agent, { path, headers: { cookie } })).status).toBe(401);
    });
  });

  describe('services that fail', () => {
    it('are reported as failures of the service', async () => {
      const nobody = await freePort();
      const answer = await ask(node.agent, {
        path: `/workspaces/${one}/ports/${nobody}/`,
        headers: bearer(),
      });
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([502, 'bad_gateway']);
      await expect(
        PreviewSocket.open(node.agent, `/workspaces/${one}/ports/${nobody}/`, bearer()),
      ).rejects.toThrow('refused with 502');
    });

    it('time out, and see the end of the request', async () => {
      const answer = await asked('/hang');
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([504, 'timed_out']);
      await vi.waitFor(async () => expect(await closed()).toContain('/hang'), waiting);
    });

    it('see when the client disconnects', async () => {
      const sent = begin(node.agent, { path: `${base}/hang?by=client`, headers: bearer() });
      sent.on('error', () => undefined);
      sent.end();
      await vi.waitFor(() => expect(sent.writableFinished).toBe(true), waiting);
      sent.destroy();
      await vi.waitFor(async () => expect(await closed()).toContain('/hang?by=client'), waiting);
    });

    it("break the client's connection too", async () => {
      await expect(asked('/die-midway')).rejects.toThrow(/aborted|ECONNRESET|hang up/);
    });

    it.each(['099', '000'])('cannot answer with status %s', async (status) => {
      const said = `/say?bytes=${encodeURIComponent(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nhi`)}`;
      const answer = await asked(said);
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([502, 'bad_gateway']);
      await expect(PreviewSocket.open(node.agent, `${base}${said}`, bearer())).rejects.toThrow(
        'refused with 502',
      );
    });

    it.each([
      ['', 'HTTP/1.1 404 \x01odd\x7f\r\n\r\n'],
      ['Gone fishing', 'HTTP/1.1 404 Gone fishing\r\n\r\n'],
    ])('are reported with the reason %j', async (reason, bytes) => {
      const sent = begin(node.agent, {
        path: `${base}/say?bytes=${encodeURIComponent(bytes)}`,
        headers: bearer(),
      });
      const answered = answerTo(sent);
      sent.end();
      const answer = await answered;
      answer.resume();
      expect([answer.statusCode, answer.statusMessage]).toEqual([404, reason]);
    });

    it('may answer before they have read the request', async () => {
      const sent = begin(node.agent, { method: 'POST', path: `${base}/refuse-upload`, headers: bearer() });
      sent.on('error', () => undefined);
      const answered = answerTo(sent);
      sent.write(Buffer.alloc(mebibyte));
      expect((await answered).statusCode).toBe(413);
      sent.destroy();
    });

    it('are reached again after a restart, without an error for the client', async () => {
      const own = await node.serve(one);
      const path = `/workspaces/${one}/ports/${own}`;
      expect((await ask(node.agent, { path: `${path}/echo`, headers: bearer() })).status).toBe(200);
      expect((await ask(node.agent, { path: `${path}/exit`, headers: bearer() })).status).toBe(502);
      await node.serve(one, { port: own });
      expect((await ask(node.agent, { path: `${path}/echo`, headers: bearer() })).status).toBe(200);
    });
  });

  describe('ports of other workspaces and of the machine', () => {
    it('are not reached: neither those of another workspace nor those of the machine', async () => {
      const foreign = await node.serve(two);
      const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nof the machine'));
      const machine = await new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
      });
      for (const other of [foreign, machine, node.agent.port]) {
        const answer = await ask(node.agent, {
          path: `/workspaces/${one}/ports/${other}/`,
          headers: bearer(),
        });
        expect([answer.status, answer.text], String(other)).toEqual([
          502,
          expect.stringContaining('bad_gateway'),
        ]);
      }
      server.close();
    });

    it('are refused', async () => {
      for (const wrong of ['0', '65536', 'x', '-1', '1.5', '1e3x']) {
        const answer = await ask(node.agent, {
          path: `/workspaces/${one}/ports/${wrong}/`,
          headers: bearer(),
        });
        expect([answer.status, JSON.parse(answer.text).details?.[0].field], wrong).toEqual([400, 'port']);
      }
    });
  });

  describe('callers', () => {
    it('need a token of this generation of the workspace', async () => {
      const by = async (authorization: string | null) => {
        const headers = authorization === null ? {} : { authorization: `Bearer ${authorization}` };
        return (await ask(node.agent, { path: `${base}/echo`, headers })).status;
      };
      expect(await by(null)).toBe(401);
      expect(await by('x.y.z')).toBe(401);
      expect(await by(await node.fake.terminal(two))).toBe(403);
      expect(await by(await node.fake.terminal(one, 2))).toBe(403);
      expect(await by(await node.fake.management())).toBe(403);
      expect(await by(await node.fake.workspaceCallback(one))).toBe(401);
      expect(await by(await node.fake.management(one))).toBe(200);
      const missing = ulid();
      const path = `/workspaces/${missing}/ports/80/`;
      const headers = { authorization: `Bearer ${await node.fake.terminal(missing)}` };
      expect((await ask(node.agent, { path, headers })).status).toBe(404);
    });

    it('get a cookie for the previews of this workspace and nothing else', async () => {
      const { headers } = await asked('/echo');
      const cookie = headers['set-cookie']?.[0] ?? '';
      expect(cookie).toMatch(
        new RegExp(
          `^__Host-vm_session_${one}_${port}=[0-9a-f]{64}; Path=/; Max-Age=\\d+; HttpOnly; Secure; SameSite=Lax$`,
        ),
      );
      const [pair = ''] = cookie.split(';');
      const by = async (path: string) => (await ask(node.agent, { path, headers: { cookie: pair } })).status;
      expect(await by(`${base}/echo`)).toBe(200);
      expect(await by(`/workspaces/${two}/ports/${port}/echo`)).toBe(401);
      expect(await by(`/workspaces/${one}/files/list`)).toBe(401);
      expect(await by(`/workspaces/${one}/git/status`)).toBe(401);
      await expect(PreviewSocket.open(node.agent, '/terminal/ws/multi', { cookie: pair })).rejects.toThrow(
        '401',
      );
      // The same cookie again; none for a client that has it.
      expect((await asked('/echo')).headers['set-cookie']?.[0]?.split(';')[0]).toBe(pair);
      expect((await asked('/echo', { headers: { cookie: pair } })).headers).not.toHaveProperty('set-cookie');
    });

    it('may use the Authorization header for the service once they have the cookie', async () => {
      const cookie = await cookieOf();
      const headers = { cookie, authorization: 'Basic b3du' };
      const { text } = await ask(node.agent, { path: `${base}/echo`, headers });
      expect(valuesOf(JSON.parse(text), 'authorization')).toEqual(['Basic b3du']);
      const both = { ...headers, authorization: `Bearer ${token}` };
      const answer = await ask(node.agent, { path: `${base}/echo`, headers: both });
      expect(valuesOf(JSON.parse(answer.text), 'authorization')).toEqual([]);
    });

    it('are redirected to an address without the token', async () => {
      const path = `${base}?a=1&token=${await node.fake.preview(one, port)}&b=2`;
      const page = await ask(node.agent, { path, headers: { 'sec-fetch-mode': 'navigate' } });
      expect(page).toMatchObject({
        status: 307,
        headers: {
          location: `${base}/?a=1&b=2`,
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      });
      const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const next = await ask(node.agent, {
        path: `${base}/?a=1&b=2`,
        headers: { cookie, accept: 'text/html' },
      });
      expect(JSON.parse(next.text)).toMatchObject({ url: '/?a=1&b=2' });
    });

    it('are refused when a page of another origin uses the cookie', async () => {
      const cookie = await cookieOf();
      const host = `127.0.0.1:${node.agent.port}`;
      const by = async (method: string, headers: Record<string, string>) =>
        (await ask(node.agent, { method, path: `${base}/echo`, headers: { cookie, ...headers } })).status;
      expect(await by('POST', { origin: 'https://evil.example' })).toBe(403);
      expect(await by('POST', { 'sec-fetch-site': 'same-site' })).toBe(403);
      expect(await by('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
      expect(await by('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
      expect(await by('POST', { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(200);
      await expect(
        PreviewSocket.open(node.agent, `${base}/x`, { cookie, origin: 'https://evil.example' }),
      ).rejects.toThrow('refused with 403');
      const own = await PreviewSocket.open(node.agent, `${base}/x`, { cookie, origin: `https://${host}` });
      own.socket.close();
    });
  });
});
