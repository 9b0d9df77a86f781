import { decodeJwt } from 'jose';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { previewLabel } from '../../../protocol/preview-host.js';
import { ask, type PreviewRequest, PreviewSocket } from './preview-client.js';
import { PreviewNode, previewNetworks } from './preview-node.js';

const waiting = { timeout: 30_000, interval: 50 };
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };

/** The addresses of a service: its host, and its path below that host. */
const forms = [
  {
    form: 'the path form',
    hostOf: () => 'ws.example.com:8443',
    pathOf: (workspaceId: string, port: number) => `/workspaces/${workspaceId}/ports/${port}`,
  },
  {
    form: 'a host of its own',
    hostOf: (workspaceId: string, port: number) => `${previewLabel({ workspaceId, port })}.example.com:8443`,
    pathOf: () => '',
  },
] as const;

let node: PreviewNode;
let one: string;
let two: string;
let ports: readonly [number, number];

beforeAll(async () => {
  const [kind] = previewNetworks;
  if (!kind) throw new Error('A standalone node needs nothing');
  node = await PreviewNode.start(kind);
  [one, two] = [await node.workspace(), await node.workspace()];
}, 120_000);
afterAll(() => node[Symbol.asyncDispose](), 60_000);

describe.each(forms)('a token in the address of a preview at $form', ({ hostOf, pathOf }) => {
  let token: string;
  // A restart of the agent ends the services of a standalone node.
  beforeAll(async () => {
    ports = [await node.serve(one), await node.serve(one)];
  });
  beforeEach(async () => {
    token = await node.fake.preview(one, ports[0]);
  });

  const at = (path: string, { headers = {}, ...more }: Omit<PreviewRequest, 'path'> = {}, port = ports[0]) =>
    ask(node.agent, {
      ...more,
      path: pathOf(one, port) + path,
      headers: { host: hostOf(one, port), ...headers },
    });
  const cookieFrom = ({ headers }: Awaited<ReturnType<typeof ask>>) =>
    headers['set-cookie']?.[0]?.split(';')[0] ?? null;
  /** The cookie that a navigation with the token gets; null when it is refused. */
  const open = async (of: string, port = ports[0]) =>
    cookieFrom(await at(`/echo?token=${of}`, { headers: navigation }, port));

  it('is removed by a redirect, which sets the cookie of this port', async () => {
    const page = await at(`/echo?a=1&token=${token}&b=2`, { headers: navigation });

    expect(page).toMatchObject({
      status: 307,
      text: '',
      headers: {
        location: `${pathOf(one, ports[0])}/echo?a=1&b=2`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    });
    const cookie = cookieFrom(page) ?? '';
    expect(cookie).toMatch(new RegExp(`^__Host-vm_session_${one}_${ports[0]}=[0-9a-f]{64}$`));
    expect((await at('/echo', { headers: { cookie } })).status).toBe(200);
    const renamed = cookie.replace(`_${ports[0]}=`, `_${ports[1]}=`);
    for (const of of [cookie, renamed])
      expect((await at('/echo', { headers: { cookie: of } }, ports[1])).status).toBe(401);
    for (const path of [`/workspaces/${one}/files/list`, `/workspaces/${one}/ports`])
      expect((await ask(node.agent, { path, headers: { cookie } })).status, path).toBe(401);
  });

  it.each([
    ['a terminal token', () => node.fake.terminal(one)],
    ['a management token of the workspace', () => node.fake.management(one)],
    ['a token for another port', () => node.fake.preview(one, ports[1])],
    ['a token for another workspace', () => node.fake.preview(two, ports[0])],
    ['a token for another generation', () => node.fake.preview(one, ports[0], { generation: 2 })],
    ['a token for another node', () => node.fake.preview(one, ports[0], { node: ulid() })],
    ['an expired token', () => node.fake.preview(one, ports[0], {}, '-1m')],
    ['a token without a valid id', () => node.fake.preview(one, ports[0], { jti: '' })],
  ])('is refused when it is %s', async (_, made) => {
    expect(await open(await made())).toBe(null);
  });

  it('is refused after the end of its sign-in session', async () => {
    const ended = await node.fake.preview(one, ports[0], { session: ulid() });
    const sessions = [decodeJwt(ended).session];
    await node.agent.call('POST', '/sessions/ended', await node.fake.management(), { sessions });

    expect(await open(ended)).toBe(null);
  });

  it('authenticates a navigation and no other request', async () => {
    const fetched = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' };
    const host = hostOf(one, ports[0]);
    const path = `${pathOf(one, ports[0])}/echo?token=${token}`;

    expect((await at(`/echo?token=${token}`, { headers: fetched })).status).toBe(401);
    expect((await at(`/echo?token=${token}`)).status).toBe(401);
    expect((await at(`/echo?token=${token}`, { method: 'POST', headers: navigation })).status).toBe(401);
    expect((await at('/echo', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    await expect(PreviewSocket.open(node.agent, path, { host })).rejects.toThrow('refused with 401');
    const terminal = await node.fake.terminal(one);
    const withTerminal = path.replace(token, terminal);
    await expect(PreviewSocket.open(node.agent, withTerminal, { host })).rejects.toThrow('refused with 401');
    expect((await at(`/echo?token=${terminal}`)).status).toBe(401);
    expect(await open(token)).not.toBe(null);
  });

  it('opens no terminal, no files, no agent session and no list of ports', async () => {
    const query = `?token=${token}`;
    for (const path of ['files/list', 'files/raw', 'git/status', 'ports', 'tabs'])
      expect((await ask(node.agent, { path: `/workspaces/${one}/${path}${query}` })).status, path).toBe(401);
    for (const path of ['/terminal/ws', '/terminal/ws/multi', '/agent/ws'])
      await expect(PreviewSocket.open(node.agent, path + query), path).rejects.toThrow('refused with 401');
  });

  it('sets one cookie, also when it is used many times at once', async () => {
    const cookies = await Promise.all(Array.from({ length: 12 }, () => open(token)));

    expect(cookies.filter((cookie) => cookie !== null)).toHaveLength(1);
    expect(await open(token)).toBe(null);
  });

  it('is used up by a browser that has the cookie already', async () => {
    const cookie = (await open(token)) ?? '';
    const next = await node.fake.preview(one, ports[0]);

    const headers = { ...navigation, cookie };
    for (const _ of [1, 2])
      expect(await at(`/echo?token=${next}`, { headers })).toMatchObject({
        status: 307,
        headers: { location: `${pathOf(one, ports[0])}/echo` },
      });

    expect(await open(next)).toBe(null);
  });

  it('is refused after a restart of the agent when it was used before', async () => {
    const unused = await node.fake.preview(one, ports[0]);
    expect(await open(token)).not.toBe(null);

    await node.agent.kill('SIGKILL');
    await node.agent.start();
    await vi.waitFor(async () => {
      const { body } = await node.agent.call('GET', '/workspaces', await node.fake.management());
      const running = expect.objectContaining({ workspaceId: one, status: 'running' });
      expect(body.workspaces).toEqual(expect.arrayContaining([running]));
    }, waiting);

    expect(await open(token)).toBe(null);
    expect(await open(unused)).not.toBe(null);
  });
});
