import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Firefox, firefoxPath } from '../support/firefox.js';
import { ownAccount } from '../support/own-account.js';

const longMs = 60_000;

if (!firefoxPath)
  console.warn('The console is not tested in Firefox: there is none here (BERTH_FIREFOX names one).');

describe.skipIf(!firefoxPath)('the console in Firefox', () => {
  const { url } = inject('cloud');
  const link = `a[href$="login=${ownAccount().login}"]`;
  let firefox: Firefox;
  const text = (selector: string) => firefox.evaluate(`document.querySelector('${selector}')?.textContent`);
  const shows = (selector: string, what: RegExp) =>
    expect.poll(() => text(selector), { timeout: longMs }).toMatch(what);

  beforeAll(async () => {
    firefox = await Firefox.start(firefoxPath ?? '');
  });
  afterAll(() => firefox?.[Symbol.asyncDispose]());

  it('signs in at the code host, and shows the tasks with their live connection', async () => {
    await firefox.goto(url);
    await shows('#app button', /Sign in with GitHub/);
    await firefox.evaluate(`document.querySelector('#app button').click()`);
    await shows(link, /./);
    await firefox.evaluate(`document.querySelector('${link}').click()`);

    await shows('main h1', /Tasks|First steps/);
    expect(new URL(String(await firefox.evaluate('location.href'))).origin).toBe(url);
    // The policy of the code host's page blocks its own icon.
    const ours = firefox.problems.splice(0).filter((problem) => !problem.includes('/favicon.ico'));
    expect(ours).toEqual([]);
  });

  it('shows the pages of the menu', async () => {
    for (const [path, heading] of [
      ['/inbox', 'Inbox'],
      ['/projects', 'Projects'],
      ['/workspaces', 'Workspaces'],
      ['/settings', 'Settings'],
    ] as const) {
      await firefox.goto(url + path);
      await shows('main h1', new RegExp(heading));
    }
    expect(firefox.problems).toEqual([]);
  });
});
