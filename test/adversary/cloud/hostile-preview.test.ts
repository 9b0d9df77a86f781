import { get, type IncomingHttpHeaders } from 'node:http';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../../local/processes/ports.js';
import { previewLabel } from '../../../protocol/preview-host.js';
import { createWorkspace, openTerminal, previewToken, run, terminalToken } from '../../e2e/one-workspace.js';
import { Browser, browserPath, signInBy } from '../../support/browser.js';
import { deleteWorkspace } from '../../support/delete-workspace.js';
import { ownAccount } from '../../support/own-account.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { hostilePreview, installWorker } from './hostile-preview.js';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

describe.skipIf(!browserPath)('a preview with a service worker', () => {
  const { url } = inject('cloud');
  const { login, cookies } = ownAccount();
  const person = new Person(url, cookies);
  const front = new URL(url);
  let browser: Browser;
  let workspaceId: string;
  let workspaceHost: string;
  let token: string;
  let ports: readonly [number, number];

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
    ({ workspaceId } = await createWorkspace(person, `hostile preview ${Date.now().toString(36)}`));
    ({ token, host: workspaceHost } = await terminalToken(person, workspaceId));
    ports = [await serve(), await serve()];
    await browser.page.goto(url);
    await signInBy(browser.page, login);
    await browser.page.getByRole('heading', { name: 'Tasks' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    if (workspaceId) await deleteWorkspace(person, `/api/workspaces/${workspaceId}`);
  });

  async function serve(): Promise<number> {
    const form = new FormData();
    form.append('destination', 'hostile');
    form.append('files', new Blob([hostilePreview]), 'preview.cjs');
    const upload = `${url}/ws/${workspaceId}/workspaces/${workspaceId}/files/upload`;
    const sent = { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } };
    expect((await fetch(upload, sent)).status).toBe(200);
    const port = await freePort();
    const terminal = await openTerminal(person, workspaceId, `serve-${port}`);
    await terminal.create();
    await run(terminal, `'${process.execPath}' hostile/preview.cjs ${port} >/dev/null 2>&1 & true`);
    terminal.drop();
    return port;
  }

  /** A request from outside of the browser, without its cookies. */
  const outside = (host: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const at = { host: '127.0.0.1', port: front.port, path, headers: { host, ...headers }, agent: false };
      get(at, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, text: Buffer.concat(chunks).toString() });
      }).once('error', reject);
    });

  const isSocketOpen = (path: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${front.port}${path}`, {
        headers: { host: workspaceHost },
      });
      socket.once('open', () => resolve(true));
      socket.once('error', () => resolve(false));
    });

  const forms = [
    {
      form: 'a host of its own',
      placeOf: (port: number) => ({
        host: `${previewLabel({ workspaceId, port })}.localhost:${front.port}`,
        path: '/',
      }),
    },
    {
      form: 'a path of the workspace',
      placeOf: (port: number) => ({ host: workspaceHost, path: `/workspaces/${workspaceId}/ports/${port}/` }),
    },
  ] as const;

  describe.each(forms)('at $form', ({ placeOf }) => {
    const addressOf = (port: number) => {
      const { host, path } = placeOf(port);
      return `http://${host}${path}`;
    };
    const asked = (path: string) => {
      const { host, path: root } = placeOf(ports[0]);
      return outside(host, root + path, { authorization: `Bearer ${token}` });
    };
    /** The tokens that the worker has read. */
    const seen = async (): Promise<readonly string[]> => {
      const addresses: readonly string[] = JSON.parse((await asked('seen')).text);
      return addresses.flatMap((address) => new URL(address).searchParams.getAll('token'));
    };
    const minted = async () => (await previewToken(person, workspaceId, ports[0])).token;
    const open = (page: Page, with_: string) => page.goto(`${addressOf(ports[0])}?token=${with_}`);
    /** The cookie that an outsider gets for a navigation with the token, or null. */
    const redeem = async (stolen: string, port = ports[0]) => {
      const { host, path } = placeOf(port);
      const { headers } = await outside(host, `${path}?token=${stolen}`, navigation);
      return headers['set-cookie']?.[0]?.split(';')[0] ?? null;
    };

    /** What the token or cookie opens beside the preview. */
    async function opened(stolen: string, headers: Record<string, string> = {}): Promise<readonly string[]> {
      const routes = ['files/list', 'files/raw?path=hostile/preview.cjs', 'git/status', 'ports', 'tabs'];
      const found: string[] = [];
      for (const route of routes) {
        const path = `/workspaces/${workspaceId}/${route}`;
        const query = `${path}${path.includes('?') ? '&' : '?'}token=${stolen}`;
        const answers = [
          await outside(workspaceHost, query, headers),
          await outside(workspaceHost, path, { ...headers, authorization: `Bearer ${stolen}` }),
          await outside(front.host, `/ws/${workspaceId}${query}`, headers),
        ];
        if (answers.some(({ status }) => status < 400)) found.push(route);
      }
      for (const path of ['/terminal/ws', '/terminal/ws/multi', '/agent/ws'])
        if (await isSocketOpen(`${path}?token=${stolen}`)) found.push(path);
      if ((await redeem(stolen, ports[1])) !== null) found.push('the other port');
      const { host, path } = placeOf(ports[1]);
      if ((await outside(host, path, headers)).status < 400) found.push('the other port by the cookie');
      const headersOfApi = { authorization: `Bearer ${stolen}` };
      if ((await outside(front.host, '/api/workspaces', headersOfApi)).status < 400) found.push('the API');
      return found;
    }

    beforeAll(async () => {
      const page = await browser.context.newPage();
      await until('the service answers', async () => (await asked('')).status === 200 || undefined);
      await open(page, await minted());
      expect(await page.title()).toBe('hostile');
      await page.evaluate(installWorker);
      await page.close();
    });

    it('reads a token that opens nothing, because the person has used it', async () => {
      const page = await browser.context.newPage();

      await open(page, await minted());

      expect(await page.title()).toBe('hostile');
      expect(page.url()).toBe(addressOf(ports[0]));
      const tokens = await seen();
      expect(tokens.map((one) => decodeJwt(one).aud)).toContain('workspace-preview');
      for (const stolen of tokens) {
        expect(await opened(stolen)).toEqual([]);
        expect(await redeem(stolen)).toBe(null);
      }
      await page.close();
    });

    it('gets no more than the preview when it uses the token before the person', async () => {
      const page = await browser.context.newPage();
      const fresh = await minted();
      await asked('hold');

      const opening = open(page, fresh).catch(() => null);
      await until('the worker has the token', async () => (await seen()).includes(fresh) || undefined);
      const cookie = await redeem(fresh);

      expect(cookie).toMatch(new RegExp(`^__Host-vm_session_${workspaceId}_${ports[0]}=`));
      const { host, path } = placeOf(ports[0]);
      expect((await outside(host, path, { cookie: cookie ?? '' })).status).toBe(200);
      expect(await opened(fresh, { cookie: cookie ?? '' })).toEqual([]);
      await asked('release');
      await opening;
      await page.close();
    });
  });

  describe('and a link to the page of its port in the console', () => {
    const host = () => `${previewLabel({ workspaceId, port: ports[0] })}.localhost:${front.port}`;
    const addressAt = (port: number) => `http://${workspaceHost}/workspaces/${workspaceId}/ports/${port}/`;
    const read = async (): Promise<readonly string[]> =>
      JSON.parse((await outside(host(), '/seen', { authorization: `Bearer ${token}` })).text);

    it('opens nothing before a click of the person, and then by a preview token', async () => {
      const [port, other] = ports;
      const before = (await read()).length;
      const page = await browser.context.newPage();
      const tokens: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/api/terminal/')) tokens.push(request.url());
      });
      await page.goto(`${addressAt(other)}?token=${(await previewToken(person, workspaceId, other)).token}`);

      await page.evaluate(
        `location.href = ${JSON.stringify(`${url}/workspaces/${workspaceId}/ports/${port}`)}`,
      );
      const button = page.getByRole('button', { name: `Open port ${port}` });
      await button.waitFor();

      expect(tokens).toEqual([]);
      await button.click();
      await page.waitForURL(`http://${host()}/`);
      expect(tokens).toEqual([`${url}/api/terminal/preview-token`]);
      const seen = (await read())
        .slice(before)
        .flatMap((address) => new URL(address).searchParams.getAll('token'));
      expect(seen.map((one) => decodeJwt(one).aud)).toEqual(['workspace-preview']);
      await page.close();
    });
  });
});
