import { request as httpRequest } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../../local/processes/ports.js';
import { createWorkspace, openTerminal, previewToken, run, terminalToken } from '../../e2e/one-workspace.js';
import { Browser, browserPath, signInBy } from '../../support/browser.js';
import { deleteWorkspace } from '../../support/delete-workspace.js';
import { ownAccount } from '../../support/own-account.js';
import { Person } from '../../support/person.js';
import { until } from '../../support/until.js';
import { inPage } from './hostile-page.js';
import { hostileService } from './hostile-service.js';

const sessionCookie = '__Host-berth_session';
const files = {
  'service.cjs': hostileService,
  'evil.html': '<!doctype html><script>document.title="ran"</script>',
  'evil.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="ran"</script></svg>',
  'evil.js': 'self.ran = 1',
};

interface Site {
  readonly workspaceId: string;
  readonly token: string;
  readonly origin: string;
  readonly port: number;
  /** The page of its service, without a token. */
  readonly preview: string;
}

describe.skipIf(!browserPath)('two hostile workspaces and the console in one browser', () => {
  const { url } = inject('cloud');
  const { login, cookies } = ownAccount();
  const person = new Person(url, cookies);
  let browser: Browser;
  let one: Site;
  let other: Site;

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
    one = await serve('hostile one');
    other = await serve('hostile other');
    await browser.page.goto(url);
    await signInBy(browser.page, login);
    await browser.page.getByRole('heading', { name: 'Tasks' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    for (const site of [one, other])
      if (site) await deleteWorkspace(person, `/api/workspaces/${site.workspaceId}`);
  });

  async function serve(name: string): Promise<Site> {
    const { workspaceId } = await createWorkspace(person, `${name} ${Date.now().toString(36)}`);
    const { token, host } = await terminalToken(person, workspaceId);
    const form = new FormData();
    form.append('destination', 'hostile');
    for (const [file, text] of Object.entries(files)) form.append('files', new Blob([text]), file);
    const upload = `${url}/ws/${workspaceId}/workspaces/${workspaceId}/files/upload?token=${token}`;
    expect((await fetch(upload, { method: 'POST', body: form })).status).toBe(200);
    const port = await freePort();
    const terminal = await openTerminal(person, workspaceId, 'hostile');
    await terminal.create();
    await run(terminal, `'${process.execPath}' hostile/service.cjs ${port} >/dev/null 2>&1 & true`);
    terminal.drop();
    return {
      workspaceId,
      token,
      origin: `http://${host}`,
      port,
      preview: `http://${host}/workspaces/${workspaceId}/ports/${port}/`,
    };
  }

  async function onPageOf({ workspaceId, port, preview }: Site): Promise<Page & AsyncDisposable> {
    const page = await browser.context.newPage();
    const { token } = await previewToken(person, workspaceId, port);
    await page.goto(`${preview}?token=${token}`);
    await until('the preview answers', async () => {
      await page.goto(preview);
      return (await page.title()) === 'hostile' || undefined;
    });
    return Object.assign(page, { [Symbol.asyncDispose]: () => page.close() });
  }

  /** The browser has a preview's cookie of the other workspace from then on. */
  const visitOther = async () => (await onPageOf(other)).close();
  const statusOfConsole = async () => (await browser.context.request.get(`${url}/api/workspaces`)).status();
  const session = async () =>
    (await browser.context.cookies(url)).flatMap(({ name, value }) =>
      name === sessionCookie ? [value] : [],
    );

  describe('cookies', () => {
    it('holds one host-only session cookie that no script and no workspace reads', async () => {
      await using page = await onPageOf(one);

      const cookies = (await browser.context.cookies()).filter(({ name }) => name === sessionCookie);

      const strict = { domain: 'localhost', httpOnly: true, secure: true, path: '/', sameSite: 'Lax' };
      expect(cookies).toMatchObject([strict]);
      expect(await inPage(page, 'cookies')).toBe('');
      expect(await page.innerText('p')).toBe('no cookie');
    });

    it('opens a preview by a cookie that no other host can set, and shows no token to its scripts', async () => {
      await using page = await onPageOf(one);

      const cookies = await browser.context.cookies(one.origin);

      const name = `__Host-vm_session_${one.workspaceId}_${one.port}`;
      expect(cookies).toMatchObject([
        { name, domain: new URL(one.origin).hostname, httpOnly: true, secure: true },
      ]);
      expect(page.url()).toBe(one.preview);
    });

    it.each(['', 'Domain=localhost; ', 'Domain=.localhost; '])(
      'keeps the session when a workspace sets cookies of its name: %s',
      async (domain) => {
        await using page = await onPageOf(one);
        const before = await session();
        const names = [sessionCookie, `\u2000${sessionCookie}`, sessionCookie.toLowerCase()];
        const pairs = [...names.map((name) => `${name}=x`), `=${sessionCookie}=x`];
        const tossed = pairs.flatMap((pair) =>
          ['/', '/api'].map((path) => `${pair}; ${domain}Path=${path}; Secure`),
        );

        await inPage(page, 'toss', tossed);
        const sent = new URLSearchParams(
          tossed.map((cookie): [string, string] => ['cookie', cookie.replaceAll('\u2000', '')]),
        );
        await page.goto(`${one.preview}?${sent}`);

        expect(await session()).toEqual(before);
        expect(await statusOfConsole()).toBe(200);
      },
    );

    it('serves the console to a browser in which a workspace has set 400 cookies', async () => {
      await using page = await onPageOf(one);
      const before = await session();

      await inPage(page, 'bomb', 200);
      await page.goto(url);

      expect(await session()).toEqual(before);
      expect(await statusOfConsole()).toBe(200);
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    });
  });

  describe('frames and windows', () => {
    it.each(['/', '/docs', '/api/workspaces'])('shows %s of the console in no frame', async (path) => {
      await using page = await onPageOf(one);

      const isClosed = await inPage(page, 'frame', `${url}${path}`);

      expect(isClosed).toBe(true);
      // A frame that is refused shows a page of the browser's own.
      await until(
        'the frame is refused',
        async () =>
          page.frames().some((frame) => frame.url() === 'chrome-error://chromewebdata/') || undefined,
      );
    });

    it("shows another workspace's preview in a frame without the person's cookie only", async () => {
      await visitOther();
      await using page = await onPageOf(one);

      const framed = page.waitForResponse((response) => response.url() === other.preview);
      await inPage(page, 'frame', other.preview);

      expect((await framed).status()).toBe(401);
    });

    it('leaves a workspace no hold of a console that it opens', async () => {
      await using page = await onPageOf(one);
      const opened = page.context().waitForEvent('page');
      await inPage(page, 'open', url);
      await using popup = Object.assign(await opened, {
        [Symbol.asyncDispose]: async () => (await opened).close(),
      });
      await popup.getByRole('heading', { name: 'Tasks' }).waitFor();

      expect(await inPage(popup, 'opener')).toBe(true);
      expect(await inPage(page, 'holdsPopup')).toBe(false);
    });
  });

  describe('requests across origins', () => {
    it('lets a workspace read nothing of the console or of another workspace', async () => {
      await visitOther();
      await using page = await onPageOf(one);
      const list = `${other.origin}/workspaces/${other.workspaceId}/files/list`;

      for (const address of [`${url}/api/workspaces`, `${url}/openapi.json`, other.preview, list])
        expect(await inPage(page, 'fetch', [address, { credentials: 'include' }]), address).toBe('TypeError');
    });

    it('takes no request from a workspace that changes something', async () => {
      await using page = await onPageOf(one);
      const address = `${url}/api/auth/sign-out`;

      await inPage(page, 'fetch', [address, { method: 'POST', mode: 'no-cors', credentials: 'include' }]);
      const answered = page.waitForResponse(address);
      await inPage(page, 'post', address);

      expect((await answered).status()).toBeGreaterThanOrEqual(400);
      expect(await statusOfConsole()).toBe(200);
    });

    it('answers a page without an origin nothing that it can read', async () => {
      await using page = await onPageOf(one);

      expect(await inPage(page, 'fetchWithoutOrigin', `${url}/api/workspaces`)).toBe('refused');
      expect(await inPage(page, 'fetchWithoutOrigin', other.preview)).toBe('refused');
    });

    it("opens no WebSocket for a workspace's page", async () => {
      await visitOther();
      await using page = await onPageOf(one);

      for (const address of [`${url}/live`, `${other.origin}/terminal/ws/multi`, other.preview])
        expect(await inPage(page, 'socket', address.replace('http', 'ws')), address).toBe('refused');
    });
  });

  it('registers no service worker beyond the path of its service', async () => {
    await using page = await onPageOf(one);

    expect(await inPage(page, 'register', '/')).toBe('SecurityError');
    expect(await inPage(page, 'register', `/workspaces/${one.workspaceId}/`)).toBe('SecurityError');
    expect(await inPage(page, 'register', './')).toBe('registered');
  });

  describe('hostile files', () => {
    const address = (base: string, name: string) =>
      `${base}/workspaces/${one.workspaceId}/files/raw?path=hostile/${name}&token=${one.token}`;
    const atFront = () => `${url}/ws/${one.workspaceId}`;

    it.each(['evil.html', 'evil.svg'])(
      'runs no script of %s, at the origin of the console or of its workspace',
      async (name) => {
        await using page = await onPageOf(one);
        for (const base of [atFront(), one.origin]) {
          const reply = await page.goto(address(base, name));

          expect(reply?.status()).toBe(200);
          expect(reply?.headers()).toMatchObject({
            'x-content-type-options': 'nosniff',
            'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
          });
          expect(await page.title()).not.toBe('ran');
        }
      },
    );

    it('loads no script file of a workspace into a page of the console', async () => {
      await using page = await onPageOf(one);
      await page.goto(url);

      expect(await inPage(page, 'loadScript', address(atFront(), 'evil.js'))).toBe('refused');
    });

    it.each(['ports', '%70orts', 'PORTS', 'ports%2f1'])(
      'serves no preview at the origin of the console: %s',
      async (word) => {
        const { pathname } = new URL(one.preview);
        const path = `/ws/${one.workspaceId}${pathname.replace('/ports/', `/${word}/`)}?token=${one.token}`;
        const { port, host } = new URL(url);

        const status = await new Promise<number | undefined>((resolve, reject) => {
          const sent = httpRequest({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          sent.once('error', reject).end();
        });

        expect(status).toBe(404);
      },
    );
  });

  it('sends the console with headers that isolate it', async () => {
    const { headers } = await fetch(url);

    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/script-src 'self';.*frame-ancestors 'none'/),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
  });
});
