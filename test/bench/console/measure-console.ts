import { Browser, browserPath, signInBy } from '../../support/browser.js';
import type { Measurement } from '../measurement.js';
import { expectOk } from '../soon.js';
import { BenchCloud } from '../tasks/bench-cloud.js';
import { measureEvents } from './events.js';
import { measureLoad } from './load.js';
import { fillChat, messagesOfLongChat } from './long-chat.js';
import { measureLongChat } from './long-chat-in-page.js';
import { pageProbe } from './page-probe.js';

const drafts = 30;

/** The console in Chromium: its first load, a long conversation, and messages as they arrive. */
export async function measureConsole(): Promise<readonly Measurement[]> {
  if (!browserPath) {
    console.warn('The console is not measured: there is no Chromium here (BERTH_CHROMIUM names one).');
    return [];
  }
  await using bench = await BenchCloud.start();
  const { taskId } = await bench.submit('Keep the long conversation');
  await bench.untilAtRest(taskId);
  await fillChat(bench, taskId, messagesOfLongChat);
  for (let number = 1; number <= drafts; number += 1)
    await expectOk(bench.person.post(bench.tasks, { title: `Draft ${number}` }));
  await using browser = await Browser.start(browserPath);
  const { page } = browser;
  await page.goto(bench.started.url);
  await signInBy(page, 'octo');
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await page.addInitScript(pageProbe);
  const parts = { bench, taskId, page, context: browser.context };
  return [...(await measureLoad(parts)), ...(await measureLongChat(parts)), ...(await measureEvents(parts))];
}
