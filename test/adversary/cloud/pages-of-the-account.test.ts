import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createWorkspace, type Walk } from '../../e2e/one-workspace.js';
import { Browser, browserPath } from '../../support/browser.js';
import { deleteWorkspace } from '../../support/delete-workspace.js';
import { findInstance } from '../../support/instance-files.js';
import { ownAccount } from '../../support/own-account.js';
import { Person } from '../../support/person.js';
import { rawRequest } from '../../support/raw-request.js';
import { accountCalls } from './account-calls.js';
import { effectsOf } from './account-effects.js';
import { inPage } from './hostile-page.js';

const deployed = inject('cloud');
const refused = '403 Pages of other origins are not served here.\n';
const unknownName = '403 This name is not served here.\n';
/** Chromium resolves it to this machine, as after DNS rebinding. */
const rebound = 'rebound.test';
const portOf = (url: string) => Number(new URL(url).port);
const fixedPorts = {
  emulator: portOf(deployed.endpoint),
  ec2: portOf(deployed.ec2Url),
  'code host': portOf(deployed.codeHostUrl),
  front: portOf(deployed.url),
} as const;
type Service = keyof typeof fixedPorts;
const services = Object.keys(fixedPorts) as Service[];
const names = Object.keys(accountCalls);

describe.skipIf(!browserPath)('a page that the person visits', () => {
  let browser: Browser;
  let walk: Walk;
  let nodePort: number;
  let site: Server;
  let sitePort: number;

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '', [`--host-resolver-rules=MAP ${rebound} 127.0.0.1`]);
    site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    sitePort = (site.address() as AddressInfo).port;
    walk = await createWorkspace(new Person(deployed.url, ownAccount().cookies), 'beside hostile pages');
    // Nodes of other files end at any time.
    nodePort = findInstance(deployed.stateDir, walk.nodeId)?.port ?? 0;
    expect(nodePort).toBeGreaterThan(0);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    site?.close();
    if (walk) await deleteWorkspace(walk.person, `/api/workspaces/${walk.workspaceId}`);
  });

  async function visit(url: string): Promise<Page & AsyncDisposable> {
    const page = await browser.context.newPage();
    await page.goto(url);
    return Object.assign(page, { [Symbol.asyncDispose]: () => page.close() });
  }

  /** What each call answers to the page. */
  async function callAll(page: Page, origin: string, init: object = {}): Promise<readonly string[]> {
    const calls = Object.values(accountCalls).map(({ path, ...call }) => [
      `${origin}${path}`,
      { ...call, ...init },
    ]);
    return (await inPage(page, 'fetchAll', calls)) as string[];
  }

  const origins = () => [
    ...services.map((service) => `http://127.0.0.1:${fixedPorts[service]}`),
    ...services.map((service) => `http://localhost:${fixedPorts[service]}`),
    `https://127.0.0.1:${nodePort}`,
  ];

  describe.each(['evil.localhost', 'ws-01j0000000000000000000000a--3000.localhost'])('at %s', (name) => {
    const address = () => `http://${name}:${sitePort}/`;

    it('reads no answer of any service', async () => {
      await using page = await visit(address());

      for (const origin of origins())
        expect(await callAll(page, origin), origin).toEqual(names.map(() => 'TypeError'));
      expect(await effectsOf(deployed)).toEqual([]);
    });

    it('changes nothing by requests that need no preflight', async () => {
      await using page = await visit(address());

      for (const origin of origins()) {
        const headers = { 'content-type': 'text/plain' };
        await callAll(page, origin, { mode: 'no-cors', method: 'POST', body: '{}', headers });
        const forms = Object.values(accountCalls).filter(({ method, body }) => method === 'POST' && body);
        const sent = forms.map(({ path, body, headers: { 'content-type': type = 'text/plain' } }) => [
          `${origin}${path}`,
          { mode: 'no-cors', method: 'POST', body, headers: { 'content-type': type } },
        ]);
        await inPage(page, 'fetchAll', sent);
      }

      expect(await effectsOf(deployed)).toEqual([]);
    });

    it('opens no WebSocket', async () => {
      await using page = await visit(address());

      // At once: Chromium makes a page wait, the longer the more of its sockets were refused.
      const addresses = origins().flatMap((origin) =>
        ['/', '/live', '/_aws/execute-api/any/live'].map((path) => `${origin}${path}`.replace('http', 'ws')),
      );
      const ended = addresses.map(async (address) => [address, await inPage(page, 'socket', address)]);

      expect(await Promise.all(ended)).toEqual(addresses.map((address) => [address, 'refused']));
    });
  });

  describe.each(services)('whose name was rebound to the %s', (service) => {
    const origin = `http://${rebound}:${fixedPorts[service]}`;

    it('is answered 403 before its call is read', async () => {
      await using page = await visit(origin);

      expect(await callAll(page, origin)).toEqual(names.map(() => unknownName));
      expect(await inPage(page, 'socket', origin.replace('http', 'ws'))).toBe('refused');
      expect(await effectsOf(deployed)).toEqual([]);
    });
  });

  it('is refused by nodes, which take a token only', async () => {
    const headers = { host: rebound, origin: `http://${rebound}` };
    for (const { path, method } of Object.values(accountCalls)) {
      const { status } = await rawRequest(`https://127.0.0.1:${nodePort}`, { path, method, headers });
      expect([401, 403, 404, 405], path).toContain(status);
    }
  });

  it('is refused by the code host also where it sends what a program sends', async () => {
    await using page = await visit(`http://evil.localhost:${sitePort}/`);
    const address = `${deployed.codeHostUrl}/api/v3/repos/octo/hello`;
    const answered = page.waitForResponse(address);

    await inPage(page, 'fetch', [address, { mode: 'no-cors' }]);

    const answer = await answered;
    expect(`${answer.status()} ${await answer.text().catch(() => refused.slice(4))}`).toBe(refused);
  });
});
