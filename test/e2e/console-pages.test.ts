import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { accessibilityProblems, problemsOfPages } from '../support/accessibility.js';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { Person } from '../support/person.js';
import { projectOf } from '../support/project-of.js';

const longMs = 60_000;
/** Its own, also where the cloud is not new. */
const mark = Date.now().toString(36);

describe.skipIf(!browserPath)('the pages of the console that manage things', () => {
  const { url } = inject('cloud');
  const octo = new Person(url, inject('cloud').octo);
  let browser: Browser;
  let guest: Browser;
  let projectId = '';
  const page = () => browser.page;
  const open = (tab: string) => page().goto(`${url}/projects/${projectId}${tab}`);
  const confirm = (name: string) => page().getByRole('dialog').getByRole('button', { name }).click();

  beforeAll(async () => {
    [browser, guest] = await Promise.all([
      Browser.start(browserPath ?? ''),
      Browser.start(browserPath ?? ''),
    ]);
    projectId = await projectOf(octo, 'octo/hello', 'Console');
    await page().goto(url);
    await signInBy(page(), 'octo');
    await page().getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await guest?.[Symbol.asyncDispose]();
  });

  it('allow no inline script', async () => {
    const response = await page().goto(`${url}/settings`);
    const policy = (await response?.allHeaders())?.['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(await page().evaluate('document.documentElement.dataset.theme')).toBe('light');
  });

  it('invite a person, who accepts by the link, also through the sign-in', async () => {
    await open('/members');
    await page().getByRole('button', { name: 'Create an invitation' }).click();
    const link = await page()
      .getByLabel(/^Send this link/)
      .inputValue();
    expect(link).toMatch(new RegExp(`^${url}/invite#.{20,}$`));

    await guest.page.goto(link);
    await signInBy(guest.page, 'mallory');
    await guest.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await guest.page.getByText(/^You are a member of/).waitFor({ timeout: longMs });
    expect(guest.page.url()).toBe(`${url}/projects/${projectId}`);
  });

  it('change the role of a member, who then sees what remains and what is forbidden', async () => {
    await page().reload();
    await page()
      .getByRole('button', { name: /^Change role of .*mallory/ })
      .click();
    await page().getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await confirm('Change role');
    await page().locator('li', { hasText: 'mallory' }).locator('.badge', { hasText: 'viewer' }).waitFor();

    await guest.page.goto(`${url}/projects/${projectId}/credentials`);
    await guest.page.getByText(/^You may not see this\./).waitFor();
    await guest.page.goto(`${url}/projects/${projectId}/settings`);
    await guest.page.getByText('Only owners and admins change these.').waitFor();
    expect(await guest.page.getByLabel('Name').isDisabled()).toBe(true);
    expect(await guest.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  it('hand over the ownership to a member, who finds the offer in the inbox', async () => {
    const answer = async (by: Page, name: string | RegExp) => {
      await by.getByRole('button', { name }).click();
      await by.getByRole('dialog').getByRole('button', { name }).click();
    };
    const offer = async (by: Page, to: string) => {
      await by.goto(`${url}/projects/${projectId}/members`);
      const member = by.locator('li', { hasText: to });
      await member.getByRole('button', { name: /^Change role of/ }).click();
      await by.getByRole('dialog').getByLabel('Role').selectOption('owner');
      await by.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
      await member.getByText(/^Ownership offered until/).waitFor();
    };
    const offered = (to: Page) =>
      to.getByRole('listitem').filter({ hasText: 'You are offered the ownership of the project' });
    const open = async (by: Page) => {
      await by.goto(`${url}/inbox`);
      await offered(by).getByRole('link').click({ timeout: longMs });
    };
    const isGone = (from: Page) => offered(from).waitFor({ state: 'detached', timeout: longMs });

    await offer(page(), 'mallory');
    await guest.page.goto(`${url}/inbox`);
    await offered(guest.page).waitFor({ timeout: longMs });
    await answer(page(), /^Cancel the offer/);
    await isGone(guest.page);

    await offer(page(), 'mallory');
    await open(guest.page);
    await answer(guest.page, 'Decline');
    await guest.page.getByText(/^Ownership offered until/).waitFor({ state: 'detached' });
    await guest.page.goto(`${url}/inbox`);
    await isGone(guest.page);

    await offer(page(), 'mallory');
    await open(guest.page);
    await answer(guest.page, 'Accept the ownership');
    await guest.page.locator('li', { hasText: 'mallory' }).getByText('owner', { exact: true }).waitFor();
    await offer(guest.page, 'octo');
    await open(page());
    await answer(page(), 'Accept the ownership');
    await page().locator('li', { hasText: 'octo' }).getByText('owner', { exact: true }).waitFor();
  });

  it('remove a member after a question, who then sees nothing of the project', async () => {
    const remove = page().getByRole('button', { name: /^Remove .*mallory/ });
    await remove.click();
    await confirm('Cancel');
    await remove.click();
    await confirm('Remove');
    await remove.waitFor({ state: 'detached' });

    await guest.page.reload();
    await guest.page.getByRole('alert').waitFor();
    expect(await guest.page.getByLabel('Name').count()).toBe(0);
  });

  it('show at its field what is refused, keep what was typed, and store a profile with its variables', async () => {
    await open('/profiles');
    await page().getByRole('button', { name: 'New profile' }).click();
    const form = page().locator('main form');
    await form.getByLabel('Name').fill(`Careful ${mark}`);
    await form.getByLabel('Effort').selectOption('high');
    await form.getByLabel('Variables').fill('NODE_ENV=test\nLD_PRELOAD=/tmp/x.so');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('.problem', { hasText: 'LD_PRELOAD' }).waitFor();
    expect(await page().evaluate('document.activeElement.name')).toBe('environment');
    expect(await form.getByLabel('Variables').getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByLabel('Name').inputValue()).toBe(`Careful ${mark}`);

    await form.getByLabel('Variables').fill('NODE_ENV=test');
    await form.getByRole('button', { name: 'Save' }).click();
    const card = page()
      .getByRole('listitem')
      .filter({ hasText: `Careful ${mark}` });
    await card.getByText('effort high').waitFor();
    await card.getByText('NODE_ENV').waitFor();
  });

  it('change and delete a profile', async () => {
    await page()
      .getByRole('button', { name: `Edit Careful ${mark}` })
      .click();
    const form = page().locator('main form');
    await form.getByLabel('Name').fill(`Careless ${mark}`);
    await form.getByLabel('Remove NODE_ENV').check();
    await form.getByRole('button', { name: 'Save' }).click();
    const card = page()
      .getByRole('listitem')
      .filter({ hasText: `Careless ${mark}` });
    await card.waitFor();
    expect(await card.getByText('NODE_ENV').count()).toBe(0);
    await card.getByRole('button', { name: 'Delete' }).click();
    await confirm('Delete');
    await card.waitFor({ state: 'detached' });
  });

  it('store a credential of the project, which no page shows again, and delete it', async () => {
    await open('/credentials');
    const key = `sk-console-${'y'.repeat(30)}wxyz`;
    await page().getByLabel('Provider').selectOption('mistral');
    await page().getByLabel('Key', { exact: true }).fill(key);
    await page().getByRole('button', { name: 'Store' }).click();
    const row = page().getByRole('listitem').filter({ hasText: 'Mistral' });
    await row.getByText('…wxyz').waitFor();
    expect(await page().content()).not.toContain(key);
    expect(await page().getByLabel('Key', { exact: true }).inputValue()).toBe('');
    await row.getByRole('button', { name: 'Delete' }).click();
    await confirm('Delete');
    await row.waitFor({ state: 'detached' });
  });

  it('change limits and defaults of a project, and refuse a figure at its field', async () => {
    await open('/settings');
    await page().getByLabel('Depth of subtasks').fill('99');
    await page().getByRole('button', { name: 'Save' }).click();
    await page().locator('.field', { hasText: 'Depth of subtasks' }).locator('.problem').waitFor();
    await page().getByLabel('Depth of subtasks').fill('2');
    await page().getByLabel('Idle minutes until a workspace stops').fill('45');
    await page().getByRole('button', { name: 'Save' }).click();
    await page().getByText('Saved.').waitFor();
    await expect
      .poll(async () => (await octo.get(`/api/projects/${projectId}`)).body)
      .toMatchObject({ maxDispatchDepth: 2, workspaceIdleTimeoutMs: 45 * 60_000 });

    await page().getByLabel('Depth of subtasks').fill('');
    await page().getByLabel('Idle minutes until a workspace stops').fill('');
    await page().getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await octo.get(`/api/projects/${projectId}`)).body.maxDispatchDepth ?? null)
      .toBeNull();
  });

  it('keep the theme of the browser from page to page', async () => {
    await page().goto(`${url}/settings?github_app=installed`);
    await page().getByText('The application is installed.').waitFor();
    await page().getByLabel('Dark').check();
    await page().goto(`${url}/projects`);
    expect(await page().evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page().goto(`${url}/settings`);
    await page().getByLabel('As the system').check();
    expect(await page().evaluate('document.documentElement.dataset.theme')).toBe('light');
  });

  it('say when the browser refuses notifications, and keep the choice when it does not', async () => {
    const choice = page().getByLabel(/Notify me when/);
    // A browser without a person answers no question: what is not granted is denied.
    await browser.context.grantPermissions([], { origin: url });
    await choice.click();
    await page().getByText('The browser does not allow notifications of this site.').waitFor();
    expect(await choice.isChecked()).toBe(false);
    await browser.context.grantPermissions(['notifications'], { origin: url });
    await choice.click();
    await expect.poll(() => choice.isChecked()).toBe(true);
    await page().reload();
    expect(await choice.isChecked()).toBe(true);
    await choice.click();
    await page().reload();
    expect(await choice.isChecked()).toBe(false);
    await browser.context.clearPermissions();
  });

  it('store settings for agents of the person, and end a session elsewhere', async () => {
    const agents = page().getByRole('region', { name: 'Agents' });
    const ofAll = agents.getByLabel('Model').first();
    await ofAll.fill('a model');
    await agents.getByRole('button', { name: 'Save' }).click();
    await agents.locator('.field', { hasText: 'Model' }).locator('.problem').waitFor();
    await ofAll.fill('');
    // What holds for one type has fields of its own, in which the API's refusal appears too.
    await agents.getByText('For one type of agent').click();
    const ofOne = agents.getByRole('group', { name: 'OpenAI Codex' }).getByLabel('Model');
    await ofOne.fill('another model');
    await agents.getByRole('button', { name: 'Save' }).click();
    await agents.getByRole('group', { name: 'OpenAI Codex' }).locator('.problem').waitFor();
    await ofOne.fill('');
    await agents.getByRole('button', { name: 'Save' }).click();
    await agents.getByText('Saved.').waitFor();

    const elsewhere = await Person.signIn(url, 'octo');
    await page().reload();
    const { sessions } = await elsewhere.client.call('GET /api/auth/sessions');
    const row = page().getByRole('region', { name: 'Where you are signed in' }).getByRole('listitem');
    await row
      .nth(sessions.findIndex(({ isCurrent }) => isCurrent))
      .getByRole('button', { name: /^Sign out/ })
      .click();
    await confirm('Sign out');
    await expect
      .poll(async () => (await elsewhere.get('/api/projects')).status, { timeout: longMs })
      .toBe(401);
  });

  it('show nodes, the deployment and people; people only to superadmins', async () => {
    await page().goto(`${url}/nodes`);
    await page().getByRole('heading', { name: 'Your nodes' }).waitFor();
    expect(page().url()).toBe(`${url}/admin`);
    await page().getByRole('link', { name: 'Deployment' }).click();
    await page().getByRole('region', { name: 'Control plane' }).getByText('healthy').waitFor();
    await page().getByRole('link', { name: 'People' }).click();
    await page().getByRole('listitem').filter({ hasText: '(mallory)' }).waitFor();

    await guest.page.goto(`${url}/admin/people`);
    await guest.page.getByText(/^You may not see this\./).waitFor();
    expect(await guest.page.getByRole('link', { name: 'People' }).count()).toBe(0);
  });

  it('are accessible and fit every screen, in both themes', async () => {
    const tabs = ['', '/members', '/profiles', '/skills', '/credentials', '/settings'];
    const paths = [
      ...tabs.map((tab) => `/projects/${projectId}${tab}`),
      ...['/start', '/settings', '/admin', '/admin/deployment', '/admin/people', '/invite'],
    ];
    const problems = await problemsOfPages(page(), url, paths);
    await guest.page.goto(`${url}/projects/${projectId}/members`);
    await guest.page.getByRole('alert').waitFor();
    const forbidden = await accessibilityProblems(guest.page);
    expect(problems).toEqual({});
    expect(forbidden).toEqual([]);
  });

  it('are accessible while they load, when a reading fails, and offline', async () => {
    // What is refused on purpose is in the log of the browser too.
    const refused = browser.problems.splice(0).filter((problem) => !/status of 400/.test(problem));
    const ofProject = `/projects/${projectId}/members`;
    const problems: Record<string, readonly string[]> = {};
    await page().route(/\/api\/(?!auth\/session$)/, (route) =>
      route.fulfill({
        status: 500,
        json: { error: 'INTERNAL_ERROR', message: 'Unexpected', requestId: 'r' },
      }),
    );
    for (const path of [ofProject, '/settings', '/inbox', '/start', '/']) {
      await page().goto(url + path);
      await page().getByRole('button', { name: 'Try again' }).first().waitFor();
      problems[`${path} fails`] = await accessibilityProblems(page());
    }
    await page().unrouteAll();
    await page().route(/\/api\/(?!auth\/session$)/, () => undefined);
    await page().goto(`${url}/settings`);
    await page().getByRole('heading', { level: 1 }).waitFor();
    await page().getByText('Loading …').first().waitFor();
    problems['/settings loads'] = await accessibilityProblems(page());
    await page().unrouteAll();
    await page().goto(`${url}/projects`);
    await page().getByRole('heading', { level: 1 }).waitFor();
    await browser.context.setOffline(true);
    await page().getByText('You are offline.').waitFor();
    problems['/projects offline'] = await accessibilityProblems(page());
    await browser.context.setOffline(false);
    await page().getByText('You are offline.').waitFor({ state: 'detached' });

    expect(Object.entries(problems).filter(([, found]) => found.length > 0)).toEqual([]);
    expect(refused).toEqual([]);
    browser.problems.splice(0);
  });

  it('sign out in every window of the browser', async () => {
    const other = await browser.context.newPage();
    await other.goto(`${url}/projects`);
    await other.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page().setViewportSize({ width: 1_100, height: 900 });
    await page().goto(`${url}/admin`);
    await page().getByRole('button', { name: 'Sign out' }).click();
    await page().getByRole('button', { name: 'Sign in with GitHub' }).waitFor();

    await other.getByText('You have been signed out.').waitFor({ timeout: longMs });
    expect(browser.problems).toEqual([]);
  });
});
