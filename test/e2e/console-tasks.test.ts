import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accessibilityProblems, keepScreenshot, problemsOfPages } from '../support/accessibility.js';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { deleteWorkspace } from '../support/delete-workspace.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';

const longMs = 120_000;

describe.skipIf(!browserPath)('a task in the console, from the message to the end', () => {
  const { url } = inject('cloud');
  const { login, cookies } = ownAccount();
  const person = new Person(url, cookies);
  let projectId: string;
  let browser: Browser;
  const page = () => browser.page;
  /** Of the project, which other files use too. */
  const setPermissionMode = async (defaultPermissionMode: 'default' | null) => {
    const json = { defaultPermissionMode };
    const { status, text } = await person.request('PATCH', `/api/projects/${projectId}`, { json });
    expect(status, text).toBe(200);
  };

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await setPermissionMode(null);
    // The file whose name has a line break keeps its workspace awake, and others remove the node.
    for (const { id } of (await person.get('/api/workspaces')).body.workspaces)
      await deleteWorkspace(person, `/api/workspaces/${id}`);
  });

  it('comes back from the sign-in with the message of the address, and does not send it', async () => {
    const key = { provider: 'anthropic', credentialType: 'agent-api-key', token: `sk-ant-${'x'.repeat(40)}` };
    expect((await person.post('/api/credentials', key)).status).toBeLessThan(300);
    projectId = await projectOf(person, 'octo/hello', 'Console');
    await setPermissionMode('default');

    await page().goto(`${url}/?prompt=Say%20hello`);
    await signInBy(page(), login);

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
      '<img src=x onerror="window.hacked=1"> [a](javascript:window.hacked=1) [b](https://example.com/) [c](data:text/html,x) [d](mailto:a@example.com) [e](file:///etc/passwd) [f](//example.com/) [g](vbscript:x)',
    );
    await box.press('Enter');

    const sent = page().locator('.message.of-user', { hasText: 'onerror' });
    await sent.waitFor({ timeout: longMs });
    // The live socket may bring the message before the answer to the call is there.
    await expect.poll(() => box.inputValue()).toBe('');
    expect(await sent.count()).toBe(1);
    expect(await sent.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      'https://example.com/',
      'mailto:a@example.com',
    ]);
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
    const sent = await person.post(path, { content: 'Sent elsewhere' });
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

  it('folds the tool calls of a turn when it has ended, and cancels a turn by Escape twice', async () => {
    const box = page().getByLabel('Message to the agent');
    await box.fill('[[tool Read]] [[tool Write]] [[say both done]]');
    await box.press('Enter');
    await page()
      .locator('summary', { hasText: /^2 tool calls, \d+ s$/ })
      .waitFor({ timeout: longMs });

    await box.fill('[[say begun]] [[wait never]]');
    await box.press('Enter');
    await page().locator('.message.of-assistant', { hasText: 'begun' }).waitFor({ timeout: longMs });
    await page().getByRole('button', { name: 'Cancel the turn' }).waitFor({ timeout: longMs });
    await box.press('Escape');
    await box.press('Escape');
    await page()
      .getByRole('button', { name: 'Cancel the turn' })
      .waitFor({ state: 'detached', timeout: longMs });
  });

  it('shows what the agent asks, and brings the answer to it', async () => {
    const box = page().getByLabel('Message to the agent');
    await box.fill('[[permission execute]]');
    await box.press('Enter');
    const asked = page().getByRole('region', { name: 'The agent asks you' });
    await asked.getByText('To execute').waitFor({ timeout: longMs });
    expect(await accessibilityProblems(page())).toEqual([]);
    await asked.getByRole('button', { name: 'Reject once: No', exact: true }).click();

    await page().locator('.message.of-assistant', { hasText: 'decided: no' }).waitFor({ timeout: longMs });
    await asked.waitFor({ state: 'detached' });
  });

  it('waits in the inbox, which the keyboard alone opens and answers with four keys', async () => {
    // Tasks of other files have ended.
    for (const { id } of (await person.get('/api/inbox?limit=100')).body.items)
      expect((await person.request('DELETE', `/api/inbox/${id}`)).status).toBe(200);
    const task = page().url();
    const box = page().getByLabel('Message to the agent');
    await box.fill('[[permission execute]]');
    await box.press('Enter');
    const places = page().getByRole('navigation', { name: 'Work' });
    await places.getByRole('link', { name: 'Inbox 1', exact: true }).waitFor({ timeout: longMs });
    await page().locator('main').focus();
    await page().keyboard.press('g');
    await page().keyboard.press('i');

    const item = page().getByRole('listitem').filter({ hasText: 'Asks for permission' });
    const answers = item.locator('.answers').getByRole('button');
    await item.getByText('To execute').waitFor({ timeout: longMs });
    expect(await accessibilityProblems(page())).toEqual([]);
    expect(await overflow()).toEqual([]);
    await keepScreenshot(page(), 'inbox-request');
    await page().setViewportSize({ width: 1_100, height: 900 });
    const refusal = (await answers.allInnerTexts()).indexOf('Reject once: No') + 1;
    await page().keyboard.press('j');
    await page().keyboard.press(String(refusal));

    await page().getByText('Nothing waits for you.').waitFor({ timeout: longMs });
    await places.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    await page().goBack();
    expect(page().url()).toBe(task);
    await page()
      .locator('.message.of-assistant', { hasText: 'decided: no' })
      .nth(1)
      .waitFor({ timeout: longMs });
  });

  it('asks a question in the inbox, whose answer becomes the next message', async () => {
    const box = page().getByLabel('Message to the agent');
    const asked = { context: 'Which side?', options: ['Left', 'Right'] };
    await box.fill(`[[mcp request_human_input ${JSON.stringify(asked)}]]`);
    await box.press('Enter');
    await page().getByText('The agent asks: Which side?').waitFor({ timeout: longMs });
    await page().getByRole('link', { name: 'Inbox 1', exact: true }).click();

    const item = page().getByRole('listitem').filter({ hasText: 'Asks a question' });
    await item.getByText('Which side?').waitFor({ timeout: longMs });
    expect(await accessibilityProblems(page())).toEqual([]);
    await keepScreenshot(page(), 'inbox-question');
    await page().setViewportSize({ width: 1_100, height: 900 });
    await item.getByRole('button', { name: 'Right' }).waitFor();
    await item.getByLabel('Your answer').fill('Right, then left');
    await item.getByLabel('Your answer').press('Enter');
    await page().getByText('Nothing waits for you.').waitFor({ timeout: longMs });

    await page().goBack();
    await page().locator('.message.of-user', { hasText: 'Right, then left' }).waitFor({ timeout: longMs });
  });

  const tab = (name: string) => page().getByRole('tab', { name, exact: true });

  it('shows what changed, also a huge file and a name that hides a line, and sends comments as one message', async () => {
    await page().setViewportSize({ width: 1_440, height: 900 });
    const box = page().getByLabel('Message to the agent');
    await box.fill(
      `[[sh seq 1 1500000 > big.txt; echo first > notes.txt; touch "$(printf 'odd\\nname')"; echo more >> README.md]]`,
    );
    await box.press('Enter');
    await page().locator('.message.of-assistant').last().getByText('sh 0').waitFor({ timeout: longMs });

    await tab('Changes').click();
    expect(new URL(page().url()).searchParams.get('tab')).toBe('changes');
    await page()
      .getByText(/\d files have changes that are not committed/)
      .waitFor({ timeout: longMs });
    await page().getByRole('button', { name: 'odd\\nname' }).first().waitFor();
    await page()
      .getByRole('region', { name: 'Changed files' })
      .getByRole('button', { name: 'big.txt' })
      .click();
    await page().getByText('The diff ends here').waitFor({ timeout: longMs });
    expect(await page().locator('.diff tr').count()).toBeLessThan(1_000);

    await page().getByLabel('Show').selectOption('uncommitted');
    await page()
      .getByRole('region', { name: 'Changed files' })
      .getByRole('button', { name: 'README.md' })
      .click();
    await page().keyboard.press('j');
    await page().keyboard.press('c');
    await page().keyboard.type('Say less');
    await page().keyboard.press('Control+Enter');
    await page().getByRole('button', { name: 'Send 1 comment to the agent' }).click();

    const sent = page().locator('.message.of-user', { hasText: 'Say less' });
    await sent.waitFor({ timeout: longMs });
    // Text that is not in view has no inner text: `content-visibility`.
    expect(await sent.textContent()).toMatch(/README\.md:\d+/);
  });

  it('shows, edits and uploads files', async () => {
    await tab('Files').click();
    await page().getByRole('button', { name: 'notes.txt' }).click();
    const notes = page().getByRole('region', { name: 'notes.txt' });
    await notes.getByText('first').waitFor();
    await page().getByRole('button', { name: 'Edit' }).click();
    await page().getByLabel('Text of notes.txt').fill('second\n');
    await page().getByRole('button', { name: 'Save' }).click();
    await page().getByText('Saved.').waitFor();
    await page().reload();
    await page().getByRole('button', { name: 'notes.txt' }).click();
    await notes.getByText('second').waitFor();

    await page().getByText('Upload files').click();
    await page()
      .locator('#upload-files')
      .setInputFiles({
        ...{ name: 'brought.txt', mimeType: 'text/plain', buffer: Buffer.from('brought') },
      });
    await page().getByRole('button', { name: 'Upload', exact: true }).click();
    await page().getByRole('button', { name: 'brought.txt' }).click();
    await page().getByRole('region', { name: 'brought.txt' }).getByText('brought', { exact: true }).waitFor();
  });

  it('has terminals in tabs, and finds text in them', async () => {
    await tab('Terminal').click();
    await page().locator('[data-state="open"]').waitFor({ timeout: longMs });
    await page().getByRole('button', { name: 'New', exact: true }).click();
    await page().getByRole('tab', { name: 'Terminal 2' }).waitFor();
    await page().locator('.terminal:not([hidden])[data-state="open"]').waitFor({ timeout: longMs });
    await page().keyboard.type('echo nee""dle\n');
    const shown = page().locator('.terminal:not([hidden])');
    await shown.locator('.xterm-rows', { hasText: 'needle' }).waitFor();
    await page().keyboard.press('F6');
    expect(await page().evaluate('document.activeElement.textContent')).toBe('Terminal 2');
    const find = shown.getByLabel('Find in the output');
    await find.fill('needle');
    await find.press('Enter');
    expect(await find.getAttribute('aria-invalid')).toBe('false');
    await find.fill('haystack');
    await find.press('Enter');
    expect(await find.getAttribute('aria-invalid')).toBe('true');
  });

  it('shows each tab on a screen of 320 pixels, and accessibly', async () => {
    const problems: Record<string, readonly string[]> = {};
    for (const name of ['Changes', 'Files', 'Terminal', 'Preview', 'Log']) {
      await tab(name).click();
      await page().locator('.panel .loading').first().waitFor({ state: 'detached' });
      await page().setViewportSize({ width: 320, height: 700 });
      const found = [...(await overflow()), ...(await accessibilityProblems(page()))];
      if (found.length > 0) problems[name] = found;
      await keepScreenshot(page(), `tab-${name}`);
    }
    await tab('Chat').click();
    await page().getByLabel('Message to the agent').waitFor();
    await page().setViewportSize({ width: 1_100, height: 900 });
    expect(problems).toEqual({});
  });

  it('is accessible wide and narrow, light and dark, as are the lists and a page that is missing', async () => {
    const task = new URL(page().url()).pathname;
    const paths = [task, '/', '/inbox', '/projects', '/workspaces', '/new', '/nodes', '/missing'];
    const problems = await problemsOfPages(page(), url, paths);
    expect(problems).toEqual({});
    await page().goto(url + task);
  });

  it('ends by its button', async () => {
    // The other tabs would ask a workspace that falls asleep.
    await tab('Log').click();
    await page().getByRole('button', { name: 'Close the task' }).click();
    // There are files that are not committed.
    await page()
      .getByRole('dialog')
      .getByRole('button', { name: 'Close the task' })
      .click({ timeout: longMs });
    await page().locator('.badge', { hasText: 'Completed' }).waitFor({ timeout: longMs });
    // The inbox has it while its person does not look at it.
    await page().waitForTimeout(3_000);
    expect((await person.get('/api/inbox')).body).toMatchObject({ items: [], count: 0 });
    expect(browser.problems).toEqual([]);
  });

  /** What is wider than the screen. */
  const overflow = () =>
    page().evaluate<readonly string[]>(`document.documentElement.scrollWidth > innerWidth
      ? [...document.querySelectorAll('body *')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth)
          .map((one) => one.tagName + '.' + one.className + ' ' + one.textContent.slice(0, 40))
      : []`);
});
