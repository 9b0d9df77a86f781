import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { previewLabel } from '../../../protocol/preview-host.js';
import { ask, type PreviewRequest, PreviewSocket } from './preview-client.js';
import { PreviewNode, previewNetworks } from './preview-node.js';

const waiting = { timeout: 15_000, interval: 20 };

describe.each(previewNetworks.slice(0, 1))('the host of a service of $name', (kind) => {
  let node: PreviewNode;
  let one: string;
  let ports: readonly number[];
  let token: string;

  beforeAll(async () => {
    node = await PreviewNode.start(kind);
    one = await node.workspace();
    ports = [await node.serve(one), await node.serve(one)];
    token = await node.fake.terminal(one);
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const hostOf = (port = ports[0] ?? 0) => `${previewLabel({ workspaceId: one, port })}.example.com:8443`;
  const get = (path: string, more: Omit<PreviewRequest, 'path'> = {}) =>
    ask(node.agent, { ...more, path, headers: { host: hostOf(), ...more.headers } });
  const bearer = () => ({ authorization: `Bearer ${token}` });
  const cookie = async (): Promise<string> =>
    (await get('/echo', { headers: bearer() })).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const echoed = async (path: string, headers: Record<string, string>) =>
    JSON.parse((await get(path, { headers })).text) as { url: string; rawHeaders: string[] };
  const valuesOf = ({ rawHeaders }: { rawHeaders: readonly string[] }, name: string) =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);

  it('gives the service its root, and forwarding headers without a prefix', async () => {
    const echo = await echoed('/echo?a=%zz', { ...bearer(), 'x-forwarded-prefix': '/evil' });

    expect(echo.url).toBe('/echo?a=%zz');
    expect(valuesOf(echo, 'host')).toEqual([`localhost:${ports[0]}`]);
    expect(valuesOf(echo, 'x-forwarded-host')).toEqual([hostOf()]);
    expect(valuesOf(echo, 'x-forwarded-prefix')).toEqual([]);
    expect(valuesOf(echo, 'authorization')).toEqual([]);
  });

  it("is private, and does not serve the agent's own routes", async () => {
    expect((await get('/echo')).status).toBe(401);
    const stranger = await node.fake.terminal(await node.workspace());
    expect((await get('/echo', { headers: { authorization: `Bearer ${stranger}` } })).status).toBe(403);
    for (const path of ['/health', `/workspaces/${one}/ports`, `/workspaces/${one}/ports/${ports[1]}/echo`]) {
      expect((await get(path)).status, path).toBe(401);
      expect((await echoed(path, bearer())).url).toBe(path);
    }
    const path = '/terminal/ws/multi';
    const { socket, messages } = await PreviewSocket.open(node.agent, path, { host: hostOf(), ...bearer() });
    await vi.waitFor(() => expect(messages[0]).toContain('"/terminal/ws/multi"'), waiting);
    socket.close();
  });

  it('removes the token from the address of a page, and sets a cookie for this host only', async () => {
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };
    const opening = await node.fake.preview(one, ports[0] ?? 0);
    const page = await get(`/echo?a=1&token=${opening}`, { headers: navigation });
    expect(page.status).toBe(307);
    expect(page.headers.location).toBe('/echo?a=1');
    const [set = ''] = page.headers['set-cookie'] ?? [];
    expect(set).toMatch(/^__Host-vm_session_\w+=\w+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Lax$/);

    const pair = set.split(';')[0] ?? '';
    const echo = await echoed('/echo?a=1', { ...navigation, cookie: `${pair}; theme=dark` });
    expect(valuesOf(echo, 'cookie')).toEqual(['theme=dark']);
    const other = { host: hostOf(ports[1]), cookie: pair };
    expect((await get('/echo', { headers: other })).status).toBe(401);
    const byPath = { host: 'ws.example.com', cookie: pair };
    expect((await get(`/workspaces/${one}/ports/${ports[0]}/echo`, { headers: byPath })).status).toBe(401);
  });

  it('sends a person without a preview token to the console, with the path and without a token', async () => {
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    const page = await get(`/a/%zz?q=1&token=${await node.fake.terminal(one, 1, one)}x`, { headers });
    expect(page.status).toBe(307);
    const to = new URL(page.headers.location ?? '');
    expect(to.pathname).toBe(`/workspaces/${one}/ports/${ports[0]}`);
    expect(to.searchParams.get('path')).toBe('/a/%zz?q=1');
    expect(page.headers['set-cookie']).toBeUndefined();
    const byPath = { ...headers, host: 'ws.example.com' };
    const path = `/workspaces/${one}/ports/${ports[0]}/echo`;
    expect((await get(path, { headers: byPath })).status).toBe(401);
  });

  it('refuses pages of other services that use the cookie', async () => {
    const headers = { cookie: await cookie() };
    const other = `https://${hostOf(ports[1])}`;
    const posted = { method: 'POST', headers: { ...headers, origin: other } };
    expect((await get('/echo', posted)).status).toBe(403);
    const fetched = { ...headers, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' };
    expect((await get('/echo', { headers: fetched })).status).toBe(403);
    await expect(
      PreviewSocket.open(node.agent, '/socket', { ...headers, host: hostOf(), origin: other }),
    ).rejects.toThrow('refused with 403');
  });

  it('limits cookies of the service to its host, and keeps their paths', async () => {
    const { headers } = await get('/headers', { headers: { cookie: await cookie() } });
    expect(headers['set-cookie']).toEqual(['theme=dark; HttpOnly; Path=/']);
    expect(headers['service-worker-allowed']).toBeUndefined();
    const to = encodeURIComponent(`http://localhost:${ports[0]}/a?b`);
    const moved = await get(`/redirect?to=${to}`, { headers: bearer() });
    expect(moved.headers.location).toBe('/a?b');
  });

  it('ends with the sign-in session, open WebSockets too', async () => {
    const headers = { cookie: await cookie(), origin: `https://${hostOf()}` };
    const socket = await PreviewSocket.open(node.agent, '/socket', { ...headers, host: hostOf() });
    await vi.waitFor(() => expect(socket.messages[0]).toContain(`"http://localhost:${ports[0]}"`), waiting);
    const { session } = decodeJwt(token);
    await node.agent.call('POST', '/sessions/ended', await node.fake.management(), { sessions: [session] });
    await vi.waitFor(() => expect(socket.closed).toBe(true), waiting);
    expect((await get('/echo', { headers })).status).toBe(401);
  });
});
