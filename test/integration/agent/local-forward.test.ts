import type { JWTPayload } from 'jose';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeId } from './fake-control-plane.js';
import { answerTo, ask, begin } from './preview-client.js';
import { freePort, PreviewNode, previewNetworks } from './preview-node.js';

// What differs by network is tested with previews.
const networks = previewNetworks.filter(({ role, network }) => role === 'standalone' || network === 'own');

describe.each(networks)('local forwards of $name', (kind) => {
  let node: PreviewNode;
  let workspaceId: string;
  let port: number;

  beforeAll(async () => {
    node = await PreviewNode.start(kind, { PORT_PROXY_HEADER_TIMEOUT: '1s' });
    workspaceId = await node.workspace();
    port = await node.serve(workspaceId);
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const sign = (overrides: JWTPayload = {}, expires: string | number = '5m') => {
    const userId = ulid();
    const claims = {
      ...{ aud: 'local-forward', type: 'local-forward', sub: userId, userId, node: nodeId, generation: 1 },
      ...{ workspace: workspaceId, remotePort: port, mode: 'http', localAuthority: 'localhost:9000' },
    };
    return node.fake.sign({ ...claims, ...overrides }, expires);
  };
  const forward = async (
    path: string,
    token: string | null,
    more: Parameters<typeof ask>[1] | object = {},
  ) => {
    const headers = token === null ? {} : { 'x-svc-vm-forward-token': token };
    const wanted = { path: `/workspaces/${workspaceId}/local-forward/${port}${path}`, headers, ...more };
    return ask(node.agent, wanted);
  };

  it("present the service with the person's own host", async () => {
    const token = await sign();
    const headers = {
      'x-svc-vm-forward-token': token,
      'x-svc-node-id': nodeId,
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-prefix': '/evil',
      forwarded: 'for=1.2.3.4',
      connection: 'x-hop',
      'x-hop': 'secret',
      authorization: "Bearer the-service's-own",
      cookie: '__Host-berth_session=secret; own=1',
    };
    const path = `/a%2Fb/%zz?token=own&x`;
    const { status, text } = await forward(path, null, { method: 'POST', headers, body: 'body' });

    expect(status).toBe(200);
    const echo: { url: string; body: string; rawHeaders: string[] } = JSON.parse(text);
    const got = Object.fromEntries(
      echo.rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name.toLowerCase(), echo.rawHeaders[index + 1]]] : [],
      ),
    );
    expect(echo).toMatchObject({ url: path, body: 'body' });
    expect(got).toMatchObject({
      host: 'localhost:9000',
      'x-forwarded-host': 'localhost:9000',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      authorization: "Bearer the-service's-own",
      cookie: 'own=1',
    });
    for (const name of [
      'x-svc-vm-forward-token',
      'x-svc-node-id',
      'x-forwarded-prefix',
      'forwarded',
      'x-hop',
    ])
      expect(got, name).not.toHaveProperty(name);
    expect(text).not.toContain(token);
  });

  it('pass cookies and redirects of the service unchanged, without platform cookies', async () => {
    const token = await sign();
    const { headers } = await forward('/headers', token);
    expect(headers['set-cookie']).toEqual(['theme=dark; Path=/; Domain=example.com; HttpOnly']);
    const redirect = await forward('/redirect?to=/login', token);
    expect(redirect).toMatchObject({ status: 302, headers: { location: '/login' } });
    expect(redirect.headers).not.toHaveProperty('set-cookie');
  });

  it('refuse upgrades', async () => {
    const headers = {
      'x-svc-vm-forward-token': await sign(),
      connection: 'Upgrade',
      upgrade: 'websocket',
    };
    const sent = begin(node.agent, { path: `/workspaces/${workspaceId}/local-forward/${port}/`, headers });
    sent.end();
    expect((await answerTo(sent)).statusCode).toBe(501);
    sent.destroy();
  });

  it.each<[string, number, () => Promise<string | null> | string | null]>([
    ['no token', 401, () => null],
    ['a token that is none', 401, () => 'x.y.z'],
    ['a terminal token', 401, () => node.fake.terminal(workspaceId)],
    ['a management token', 401, () => node.fake.management(workspaceId)],
    ['a token that has expired', 401, () => sign({}, Math.floor(Date.now() / 1_000) - 60)],
    ['a token of another type', 401, () => sign({ type: 'other' })],
    ['a token of two users', 401, () => sign({ userId: ulid() })],
    ['a token of another mode', 401, () => sign({ mode: 'tcp' })],
    ['a token without an authority', 401, () => sign({ localAuthority: '' })],
    ['a token with more than an authority', 401, () => sign({ localAuthority: 'a/b\r\nx: y' })],
    ['a token for another node', 403, () => sign({ node: ulid() })],
    ['a token for another workspace', 403, () => sign({ workspace: ulid() })],
    ['a token for another port', 403, () => sign({ remotePort: 1 })],
    ['a token for another generation', 403, () => sign({ generation: 2 })],
  ])('refuse %s', async (_, status, tokenOf) => {
    expect((await forward('/echo', await tokenOf())).status).toBe(status);
  });

  it('report that nothing listens', async () => {
    const nobody = await freePort();
    const headers = { 'x-svc-vm-forward-token': await sign({ remotePort: nobody }) };
    const path = `/workspaces/${workspaceId}/local-forward/${nobody}/`;
    const { status, text } = await ask(node.agent, { path, headers });
    expect([status, JSON.parse(text).error]).toEqual([502, 'bad_gateway']);
  });
});
