import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.js';
import { Browser, browserPath } from '../support/browser.js';
import { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';

const longMs = 120_000;

describe.skipIf(!browserPath)('a task in the console, from the message to the end', () => {
  const { url } = inject('cloud');
  let browser: Browser;
  const page = () => browser.page;

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it('comes back from the sign-in with the message of the address, and does not send it', async () => {
    const person = new Person(url, inject('cloud').octo);
    const key = { provider: 'anthropic', credentialType: 'agent-api-key', token: `sk-ant-${'x'.repeat(40)}` };
    expect((await person.post('/api/credentials', key)).status).toBeLessThan(300);
    const projectId = await projectOf(person, 'octo/hello', 'Console');

    await page().goto(`${url}/?prompt=Say%20hello`);
    await page().getByRole('button', { name: 'Sign in with GitHub' }).click();
    await page().getByRole('link', { name: /octo/ }).first().click();

    await page().getByLabel('Project').selectOption(projectId);
    const message = page().getByLabel('What should an agent do in octo/hello?');
    await message.waitFor();
    expect(await message.inputValue()).toBe('Say hello');
    expect((await person.get(`/api/projects`)).body.projects.length).toBeGreaterThan(0);
    expect(new URL(page().url()).pathname).toBe('/');
  });

  it('is submitted with the keyboard alone, and shows what the agent says as it comes', async () => {
    const message = page().getByLabel('What should an agent do in octo/hello?');
    await message.fill('Say **hello** [[tool Read]] [[long 400]]');
    await message.press('Control+Enter');

    await page().getByRole('region', { name: 'Conversation' }).waitFor();
    await page().locator('.message.of-user', { hasText: 'hello' }).first().waitFor({ timeout: longMs });
    await page().locator('.message.of-assistant').first().waitFor({ timeout: longMs });
    await page().locator('.badge', { hasText: 'The agent waits for you' }).waitFor({ timeout: longMs });
  });

  it('sends a follow-up by Enter, once, and executes nothing that a message holds', async () => {
    const box = page().getByLabel('Message to the agent');
    await box.fill(
      '<img src=x onerror="window.hacked=1"> [a](javascript:window.hacked=1) [b](https://example.com/)',
    );
    await box.press('Enter');

    const sent = page().locator('.message.of-user', { hasText: 'onerror' });
    await sent.waitFor({ timeout: longMs });
    expect(await box.inputValue()).toBe('');
    expect(await sent.count()).toBe(1);
    expect(await sent.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await sent.locator('a', { hasText: 'b' }).getAttribute('href')).toBe('https://example.com/');
    expect(await page().evaluate('window.hacked')).toBeUndefined();
  });

  it('says within 10 s that its connection is dead, and then shows what it missed, once', async () => {
    let isCut = false;
    await page().routeWebSocket(/\/live$/, async (socket) => {
      if (isCut) return socket.close();
      const server = socket.connectToServer();
      socket.onMessage((message) => isCut || server.send(message));
      server.onMessage((message) => isCut || socket.send(message));
    });
    await page().reload();
    await page().getByLabel('Message to the agent').waitFor();
    await page().locator('.message.of-user', { hasText: 'onerror' }).waitFor();
    // The socket is open, and nothing reports its end.
    await page().waitForTimeout(2_000);
    isCut = true;
    const notice = page().getByText('There is no connection to Berth.');
    await notice.waitFor({ timeout: 10_000 });
    const [, , projectId, , taskId] = new URL(page().url()).pathname.split('/');
    const path = `/api/projects/${projectId}/sessions/${taskId}/prompt`;
    const sent = await new Person(url, inject('cloud').octo).post(path, { content: 'Sent elsewhere' });
    expect(sent.status, sent.text).toBe(202);
    isCut = false;

    await notice.waitFor({ state: 'detached', timeout: longMs });
    const missed = page().locator('.message.of-user', { hasText: 'Sent elsewhere' });
    await missed.waitFor({ timeout: longMs });
    await page().waitForTimeout(1_000);
    expect(await missed.count()).toBe(1);
    await page().unrouteAll();
  });

  it('fits a phone, and says in the list what waits for its person', async () => {
    await page().setViewportSize({ width: 320, height: 700 });
    expect(await overflow()).toEqual([]);
    await page().getByRole('link', { name: '← Tasks' }).click();
    const needsYou = page().getByRole('region', { name: /^Needs you/ });
    await needsYou.getByRole('listitem').first().waitFor({ timeout: longMs });
    expect(await overflow()).toEqual([]);
    await needsYou.getByRole('link').first().click();
  });

  it('is found again by its name in the palette, without the mouse', async () => {
    await page().setViewportSize({ width: 1_100, height: 900 });
    const task = page().url();
    await page().keyboard.press('Control+k');
    const field = page().getByRole('combobox', { name: /^Search/ });
    await field.fill('projects page');
    await field.press('Enter');
    await page().getByRole('heading', { level: 1, name: 'Projects' }).waitFor();

    await page().keyboard.press('Control+k');
    await field.fill('tasks say hello');
    await page().getByRole('option', { name: /Say/, selected: true }).waitFor();
    await field.press('Enter');
    await page().getByRole('region', { name: 'Conversation' }).waitFor();
    expect(page().url()).toBe(task);
    await page().keyboard.press('Control+k');
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  it('goes through its panes by F6, in both directions', async () => {
    const focused = () => page().evaluate('document.activeElement.tagName');
    await page().locator('main').focus();
    await page().keyboard.press('Shift+F6');
    expect(await focused()).toBe('HEADER');
    await page().keyboard.press('F6');
    expect(await focused()).toBe('MAIN');
  });

  it('is accessible wide and narrow, light and dark, as are the lists and a page that is missing', async () => {
    const task = new URL(page().url()).pathname;
    const problems: Record<string, readonly string[]> = {};
    for (const path of [task, '/', '/projects', '/workspaces', '/new', '/nodes', '/missing']) {
      await page().goto(url + path);
      await page().getByRole('heading', { level: 1 }).waitFor();
      await page().locator('.loading').first().waitFor({ state: 'detached' });
      const found = await accessibilityProblems(page());
      if (found.length > 0) problems[path] = found;
      if (process.env.BERTH_SCREENSHOTS)
        await page().screenshot({
          path: join(process.env.BERTH_SCREENSHOTS, `${path.replaceAll('/', '_')}.png`),
        });
    }
    expect(problems).toEqual({});
    await page().goto(url + task);
  });

  it('ends by its button', async () => {
    await page().getByRole('button', { name: 'Close the task' }).click();
    await page().locator('.badge', { hasText: 'Completed' }).waitFor({ timeout: longMs });
    expect(browser.problems).toEqual([]);
  });

  /** What is wider than the screen. */
  const overflow = () =>
    page().evaluate(`document.documentElement.scrollWidth > innerWidth
      ? [...document.querySelectorAll('body *')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth)
          .map((one) => one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 40))
      : []`);
});
