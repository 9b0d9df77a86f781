import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePortRange } from '../../local/processes/ports.js';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { UntrustedNode } from '../support/untrusted-node.js';

const longMs = 120_000;
/** Its own, also where the cloud is not new. */
const name = `browser ${Date.now().toString(36)}`;

/** Its page says that it answers when its WebSocket has answered too. */
const service = `
import { createServer } from 'node:http';
import { WebSocketServer } from '${import.meta.resolve('ws')}';
const page = \`<p></p><script>
  new WebSocket('/').onmessage = ({ data }) => {
    document.querySelector('p').textContent = 'page and ' + data + ' at ' + location.pathname + location.search;
  };
</script>\`;
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(request.url === '/favicon.ico' ? '' : page);
});
new WebSocketServer({ server }).on('connection', (socket) => socket.send('socket answer'));
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('the service list' + 'ens'));
`;

if (!browserPath)
  console.warn(
    'The console is not tested in a browser: there is no Chromium here (BERTH_CHROMIUM names one).',
  );

describe.skipIf(!browserPath)('the console in a browser, from sign-in to the end of a workspace', () => {
  const { url } = inject('cloud');
  const { login, cookies } = ownAccount();
  const folder = mkdtempSync(join(tmpdir(), 'berth-service-'));
  let browser: Browser;
  let serviceUrl = '';
  /** Addresses that the console requested. */
  const requested: string[] = [];
  const page = () => browser.page;

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
    page().on('request', (request) => requested.push(request.url()));
    page().on('websocket', (socket) => requested.push(socket.url()));
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('signs in at the code host and comes back', async () => {
    await page().goto(url);
    await signInBy(page(), login);

    await page().getByRole('heading', { name: 'Tasks' }).waitFor();
    expect(new URL(page().url()).origin).toBe(url);
  });

  it('creates a project and a workspace of it, and shows its boot log as it comes', async () => {
    await page().getByRole('link', { name: 'Workspaces' }).click();
    await page().getByRole('link', { name: 'New workspace' }).click();
    // The other tests of this cloud may have made a project for this repository before.
    const project = page().getByLabel('Project', { exact: true });
    await project.waitFor();
    const existing = project.locator('option', { hasText: '(octo/hello)' });
    if ((await existing.count()) > 0)
      await project.selectOption((await existing.first().getAttribute('value')) ?? '');
    else {
      await page().getByLabel('Repository', { exact: true }).selectOption('octo/hello');
      await page().getByLabel('Project name').fill('Hello browser');
    }
    await page().getByLabel('Workspace name').fill(name);
    await page().getByRole('button', { name: 'Create workspace' }).click();

    await page().getByRole('heading', { name }).waitFor();
    await page().locator('[data-step="workspace_ready"].completed').waitFor({ timeout: longMs });
    await page().locator('.badge', { hasText: 'running' }).waitFor({ timeout: longMs });
  });

  it('shows when the workspace stops, and keeps it awake', async () => {
    await page()
      // With the date when that is tomorrow.
      .getByText(/^Stops at (?:\w+ \d+, \d{4}, )?\d\d:\d\d/)
      .waitFor();
    const kept = page().waitForResponse((response) => response.url().endsWith('/keep-awake'));

    await page().getByRole('button', { name: 'Keep awake for 2 hours' }).click();

    expect((await kept).status()).toBe(200);
  });

  it('types in the terminal', async () => {
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });

    await page().getByLabel('Terminal input').focus();
    await page().keyboard.type('echo con""sole-$((40 + 2))\n');

    await page().locator('.xterm-rows', { hasText: 'console-42' }).waitFor();
  });

  it('says what is wrong with a node that the browser does not trust, and connects once it is trusted', async () => {
    await using node = await UntrustedNode.start();
    await page().route('**/api/terminal/token', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...(await answer.json()), workspaceUrl: node.url } });
    });
    await page().reload();

    const advice = page().locator('[data-state="unreachable"]');
    await advice.getByText(/Browsers do not trust the certificate of this node/).waitFor();
    const accept = advice.getByRole('link', { name: 'Open the node' });
    expect(await accept.getAttribute('href')).toBe(`${node.url}/health`);
    expect(node.requests).toEqual([]);

    await page().unrouteAll();
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });
    // The browser logs each socket that it refuses.
    const refused = browser.problems
      .splice(0)
      .filter((problem) => !/ERR_CERT_AUTHORITY_INVALID/.test(problem));
    expect(refused).toEqual([]);
    // No socket opened there: the browser sent nothing of these addresses.
    requested.splice(
      0,
      Infinity,
      ...requested.filter((address) => new URL(address).host !== new URL(node.url).host),
    );
  });

  it('goes on after its connection is cut in the midst of output, missing and repeating nothing', async () => {
    const cuts: (() => Promise<void>)[] = [];
    await page().routeWebSocket(/\/terminal\/ws\/multi/, (socket) => {
      const server = socket.connectToServer();
      cuts.push(async () => {
        // The page's end first: it must not go on sending into a socket that closes.
        await socket.close();
        await server.close();
      });
    });
    await page().reload();
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });
    await page().getByLabel('Terminal input').focus();
    await page().keyboard.type('seq 1 150000; echo cut-th""rough\n');
    // A line of nothing but a number is output: all that was typed has been sent.
    await page()
      .locator('.xterm-rows > div', { hasText: /^\d{4,6}$/ })
      .first()
      .waitFor();
    await cuts.at(-1)?.();

    const rows = page().locator('.xterm-rows', { hasText: 'cut-through' });
    await rows.waitFor({ timeout: longMs });
    const shown = (await rows.innerText())
      .split('\n')
      .map(Number)
      .filter((line) => line > 0);
    expect(cuts.length).toBeGreaterThan(1);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual(shown.map((_line, index) => 150_000 - shown.length + 1 + index));
    await page().unrouteAll();
    await page().keyboard.type('clear; echo con""sole-$((40 + 2))\n');
    await page().locator('.xterm-rows', { hasText: 'console-42' }).waitFor();
  });

  it('finds its shell again after a reload, with what was on the screen', async () => {
    await page().getByLabel('Terminal input').focus();
    await page().keyboard.type('MARK=kept-thr""ough; echo mark-$((1 + 1))\n');
    await page().locator('.xterm-rows', { hasText: 'mark-2' }).waitFor();
    await page().reload();
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });

    await page().locator('.xterm-rows', { hasText: 'console-42' }).waitFor();
    await page().getByLabel('Terminal input').focus();
    await page().keyboard.type('echo "<$MARK>"\n');
    await page().locator('.xterm-rows', { hasText: '<kept-through>' }).waitFor();
  });

  const sleeps = async () => {
    await page().getByRole('button', { name: 'Sleep', exact: true }).click({ timeout: longMs });
    await page().locator('.badge', { hasText: 'asleep' }).waitFor({ timeout: longMs });
    await page()
      .getByText(/^Asleep\. Its files/)
      .waitFor({ timeout: longMs });
  };

  it('puts the workspace to sleep, wakes it, and opens its terminal again', async () => {
    const person = new Person(url, cookies);
    const key = { provider: 'anthropic', credentialType: 'agent-api-key', token: `sk-ant-${'x'.repeat(40)}` };
    await person.post('/api/credentials', key);
    const sessions = `/api${new URL(page().url()).pathname}/agent-sessions`;
    const session = await person.post(sessions, { agentType: 'claude-code' });
    expect(session.status, session.text).toBe(201);
    await page().reload();

    await sleeps();
    await page().getByRole('button', { name: 'Wake' }).click();

    await page().locator('.badge', { hasText: 'running' }).waitFor({ timeout: longMs });
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });
  });

  it('wakes a sleeping workspace that is opened', async () => {
    await sleeps();
    await page().reload();

    await page().locator('.badge', { hasText: 'running' }).waitFor({ timeout: longMs });
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });
  });

  it('lists a service of the workspace, and opens it at its own host', async () => {
    const script = join(folder, 'service.mjs');
    writeFileSync(script, service);
    await page().getByLabel('Terminal input').focus();
    const port = String(await freePortRange(1));
    await page().keyboard.type(`${process.execPath} ${script} ${port} &\n`);
    await page().locator('.xterm-rows', { hasText: 'the service listens' }).waitFor();
    const link = page().getByRole('link', { name: `Port ${port}` });
    await link.waitFor({ timeout: longMs });

    const opening = browser.context.waitForEvent('page');
    await link.click();
    const opened = await opening;
    await opened.getByText('page and socket answer').waitFor({ timeout: longMs });
    serviceUrl = opened.url();
    expect(serviceUrl).toMatch(new RegExp(`^http://ws-[0-9a-z]{26}--${port}\\.localhost:\\d+/$`));
    await opened.close();

    await page().getByLabel('Port', { exact: true }).fill(port);
    const byForm = browser.context.waitForEvent('page');
    await page().getByRole('button', { name: 'Open port' }).click();
    const again = await byForm;
    await again.getByText('page and socket answer').waitFor({ timeout: longMs });
    await again.close();
  });

  it('signs in a browser that comes to a service first, for this host only', async () => {
    await using other = await Browser.start(browserPath ?? '');
    await other.page.goto(`${serviceUrl}shop?item=1`);
    await signInBy(other.page, login);
    await other.page.getByRole('button', { name: /^Open port/ }).click();

    await other.page.getByText('page and socket answer at /shop?item=1').waitFor({ timeout: longMs });
    expect(other.page.url()).toBe(`${serviceUrl}shop?item=1`);
    const cookies = await other.context.cookies(serviceUrl);
    const { hostname } = new URL(serviceUrl);
    expect(cookies.map(({ domain, httpOnly }) => ({ domain, httpOnly }))).toEqual([
      { domain: hostname, httpOnly: true },
    ]);
    expect(other.problems).toEqual([]);
  });

  it('shows a shell that has ended, and starts another', async () => {
    await page().getByLabel('Terminal input').focus();
    await page().keyboard.type('exit 3\n');
    await page().getByText('exit code 3').waitFor();
    await page().getByRole('button', { name: 'Start a new shell' }).click();

    await page().locator('[data-state="open"]').waitFor();
  });

  it('has put no token into an address', () => {
    expect(requested.some((address) => address.includes('/terminal/ws/multi'))).toBe(true);
    expect(requested.filter((address) => /[?&]token=/.test(address))).toEqual([]);
  });

  it('lists the workspace and its node', async () => {
    await page().getByRole('link', { name: 'Admin' }).click();
    await page()
      .getByText(/of \d+ places taken/)
      .first()
      .waitFor();
    await page().getByRole('link', { name: 'Workspaces' }).click();

    await page().getByRole('link', { name }).waitFor();
  });

  it('fits a narrow screen', async () => {
    await page().setViewportSize({ width: 400, height: 800 });
    await page().getByRole('link', { name }).click();
    await page().locator('[data-state="open"]').waitFor();

    const width = await page().evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(400);
    await page().setViewportSize({ width: 1_100, height: 900 });
  });

  it('asks before it stops and deletes, and does both', async () => {
    await page().getByRole('button', { name: 'Stop' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page().locator('.badge', { hasText: 'running' }).waitFor();
    await page().getByRole('button', { name: 'Stop' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page().locator('.badge', { hasText: 'stopped' }).waitFor({ timeout: longMs });

    // The live socket reports the end before the response to the deletion. Do not fetch it then.
    const answer = Promise.withResolvers<void>();
    await page().route(/\/api\/workspaces\/[^/]+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      await answer.promise;
      return route.fulfill({ response });
    });
    await page().getByRole('button', { name: 'Delete' }).click();
    await page().getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page().getByText('This workspace is deleted.').waitFor({ timeout: longMs });
    await page().waitForTimeout(1_000);
    answer.resolve();
    await page().getByText(`${name} is deleted.`).waitFor();
    await page().locator('main .loading').waitFor({ state: 'detached' });
    await page().unrouteAll({ behavior: 'wait' });
    expect(browser.problems).toEqual([]);
  });

  it('signs out, and asks to sign in where it was', async () => {
    await page().getByRole('button', { name: 'Sign out' }).click();
    await page().getByRole('button', { name: 'Sign in with GitHub' }).waitFor();
    await page().goto(`${url}/admin`);

    await page().getByRole('button', { name: 'Sign in with GitHub' }).waitFor();
    expect(browser.problems).toEqual([]);
  });
});
