import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.js';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { deleteWorkspace } from '../support/delete-workspace.js';
import { ownAccount } from '../support/own-account.js';
import { Person } from '../support/person.js';
import { until } from '../support/until.js';
import { type Submission, TaskWalk } from './task-walk.js';

const longMs = 120_000;
/** Its own, also where the cloud is not new. */
const mark = Date.now().toString(36);
const asked = `Close the door ${mark}`;
const work = [
  'git checkout -q .',
  `echo closed > door-${mark}.txt`,
  'git add .',
  'git -c user.name=Octo -c user.email=octo@example.com commit -qm Door',
  'git push -q origin HEAD',
].join(' && ');

interface Said {
  readonly role: string;
  readonly content: string;
  readonly sequence: number;
  readonly delivery: { readonly state: string } | null;
}

describe.skipIf(!browserPath)('the outcome of a task in the console', () => {
  const { url } = inject('cloud');
  const { login, cookies } = ownAccount();
  const person = new Person(url, cookies);
  let walk: TaskWalk;
  let task: Submission;
  let browser: Browser;
  const page = () => browser.page;
  const chat = () => `/api/projects/${walk.projectId}/sessions/${task.sessionId}`;
  const read = async () => (await person.get(`${walk.path}/${task.taskId}`)).body;

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
    walk = await TaskWalk.begin(person, 'octo/hello', 'Console');
    task = await walk.submit(`${asked} [[sh ${work}]]`, { taskMode: 'conversation' });
    await walk.until(
      task.taskId,
      'its agent rests',
      ({ executionStep }) => executionStep === 'awaiting_followup',
    );
    await page().goto(url);
    await signInBy(page(), login);
    await page().getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    if (!task) return;
    const { workspaceId } = await read();
    await walk.cancel(task.taskId);
    await deleteWorkspace(person, `/api/workspaces/${workspaceId}`);
  });

  it('becomes one pull request with a drafted title and text, however often its button is pressed', async () => {
    const requests: string[] = [];
    page().on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/pull-request'))
        requests.push(request.url());
    });
    await page().goto(`${url}/projects/${walk.projectId}/tasks/${task.taskId}`);
    await page().getByRole('button', { name: 'Open a pull request' }).click();
    const dialog = page().getByRole('dialog', { name: 'Open a pull request' });
    const { title } = await read();
    expect(await dialog.getByLabel('Title').inputValue()).toBe(title);
    expect(await dialog.getByLabel('Description').inputValue()).toContain(asked);
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().setViewportSize({ width: 1_100, height: 900 });
    await dialog.getByLabel('Title').fill(`The door closes ${mark}`);
    await dialog.getByRole('button', { name: 'Open', exact: true }).dblclick();

    const link = page().getByRole('link', { name: 'Pull request' });
    await link.waitFor({ timeout: longMs });
    const address = String(await link.getAttribute('href'));
    expect(address).toMatch(/\/octo\/hello\/pull\/\d+$/);
    expect(requests).toHaveLength(1);
    const again = await person.post(`${walk.path}/${task.taskId}/pull-request`, {});
    expect(again).toMatchObject({ status: 200, body: { url: address } });
    const opened = await (await fetch(address)).text();
    expect(opened).toContain(`The door closes ${mark}`);
    expect(opened).toContain(asked);
  });

  it('says in the inbox that it does not know whether a message arrived, and sends it again once asked', async () => {
    // It dies with the first of these messages, and answers the second.
    const once = `.git/once-${mark}`;
    const content = `Unclear ${mark} [[sh test -e ${once} || { touch ${once}; kill -9 $PPID; }]]`;
    const sent = await person.post(`${chat()}/prompt`, { content });
    expect(sent.status, sent.text).toBe(202);
    await page().goto(`${url}/inbox`);
    const item = page()
      .getByRole('listitem')
      .filter({ hasText: `Unclear ${mark}` });
    await item.getByText('It is not known whether the message arrived').waitFor({ timeout: longMs });
    expect(await accessibilityProblems(page())).toEqual([]);
    await page().setViewportSize({ width: 1_100, height: 900 });

    await item.getByRole('button', { name: 'Send again' }).click();

    await item.getByText('Sent again.').waitFor({ timeout: longMs });
    const states = await until(
      'the agent has answered the second',
      async () => {
        const { body, text } = await person.get(`${chat()}/messages?order=desc&limit=20`);
        const newest: readonly Said[] = body.messages;
        const prompts = newest.filter((one) => one.role === 'user' && one.content === content);
        const answer = newest.find(({ role }) => role === 'assistant');
        if (prompts.length === 2 && answer && answer.sequence > Number(prompts[0]?.sequence))
          return prompts.map(({ delivery }) => delivery?.state);
        throw new Error(text);
      },
      longMs,
    );
    expect(states).toEqual(['delivered', 'ambiguous']);
    expect(browser.problems).toEqual([]);
  });
});
