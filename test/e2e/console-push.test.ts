import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Browser, browserPath, signInBy } from '../support/browser.js';
import { ownAccount } from '../support/own-account.js';
import { until } from '../support/until.js';

const longMs = 60_000;

/** No push service can be reached here: a browser gets as far as the request for a subscription. */
describe.skipIf(!browserPath)('push messages in the console', () => {
  const { url } = inject('cloud');
  let browser: Browser;
  const page = () => browser.page;
  const isNotified = () => page().getByLabel(/Notify me when/);
  const isPushed = () => page().getByLabel('Also when this page is closed');

  beforeAll(async () => {
    browser = await Browser.start(browserPath ?? '');
    await page().goto(`${url}/settings`);
    await signInBy(page(), ownAccount().login);
    await page().getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it('are no choice before notifications are allowed', async () => {
    await browser.context.grantPermissions([], { origin: url });
    await isNotified().click();
    await page().getByText('The browser does not allow notifications of this site.').waitFor();
    expect(await isPushed().count()).toBe(0);
  });

  it('install the service worker, ask for a subscription, and say that the browser cannot get one', async () => {
    await browser.context.grantPermissions(['notifications'], { origin: url });
    const calls: string[] = [];
    page().on('request', (request) => {
      if (request.url().endsWith('/api/push-subscriptions')) calls.push(request.method());
    });
    await isNotified().click();
    await isPushed().waitFor();
    await expect.poll(() => isPushed().isEnabled()).toBe(true);
    await isPushed().click();

    await page().getByText('The browser cannot receive push messages.').waitFor({ timeout: longMs });
    expect(await isPushed().isChecked()).toBe(false);
    expect(calls).toContain('GET');
    expect(calls).not.toContain('POST');
    const worker = await page().evaluate(
      'navigator.serviceWorker.ready.then(({ active, scope }) => [active.scriptURL, scope])',
    );
    expect(worker).toEqual([`${url}/push-worker.js`, `${url}/`]);
  });

  it('are shown by the service worker with the kind and the title of the item alone', async () => {
    await page().reload();
    const devtools = await browser.context.newCDPSession(page());
    const registrations: { readonly registrationId: string; readonly scopeURL: string }[] = [];
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: found }) =>
      registrations.push(...found),
    );
    await devtools.send('ServiceWorker.enable');
    const { registrationId } = await until('the worker is known', async () =>
      registrations.find(({ scopeURL }) => scopeURL === `${url}/`),
    );
    const item = {
      ...{ id: 'item-1', kind: 'question', reason: 'question', title: 'Close the door' },
      link: '/inbox',
    };
    const notifications = `navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
      .then((all) => all.map(({ title, body }) => title + body))`;
    const deliver = async () => {
      const message = { origin: url, registrationId, data: JSON.stringify(item) };
      await devtools.send('ServiceWorker.deliverPushMessage', message);
      return page().evaluate<readonly string[]>(notifications);
    };
    // Of one item there is one notification, however often it is pushed.
    await expect.poll(deliver, { timeout: longMs }).toEqual(['Asks a question: Close the door']);
    expect(await deliver()).toHaveLength(1);
    await devtools.detach();
  });

  it('are no choice in a browser without them', async () => {
    await page().addInitScript('delete window.PushManager');
    await page().reload();
    await isNotified().waitFor();
    expect(await isNotified().isChecked()).toBe(true);
    expect(await isPushed().count()).toBe(0);
    await page().addInitScript('delete window.Notification');
    await page().reload();
    await page().getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page().getByLabel('Dark').waitFor();
    expect(await isNotified().count()).toBe(0);
    expect(browser.problems).toEqual([]);
  });
});
