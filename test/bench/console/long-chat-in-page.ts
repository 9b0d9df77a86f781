import type { Page } from 'playwright-core';
import { type Measurement, median, percentile } from '../measurement.js';
import { messagesOfLongChat } from './long-chat.js';
import { type ConsoleParts, paintedAt } from './parts.js';

const rounds = 7;
const scrolledFrames = 600;
/** The newest message, as markdown. */
const newest = `[...document.querySelectorAll('.chat-scroll .markdown')].at(-1)?.textContent.includes('Message ${messagesOfLongChat} ')`;

interface Opening {
  readonly ms: number;
  /** From the request of the messages to their answer. */
  readonly answerMs: number;
}

/** Opens a long conversation from the list, shows all of it, and scrolls through it. */
export async function measureLongChat(parts: ConsoleParts): Promise<readonly Measurement[]> {
  const { page, bench, taskId } = parts;
  const path = `/projects/${bench.projectId}/tasks/${taskId}`;
  const opened: Opening[] = [];
  // The first one loads the code of the page.
  for (let round = 0; round <= rounds; round += 1) {
    const opening = await openFromList(parts, path);
    if (round > 0) opened.push(opening);
  }
  await showAll(page);
  const frames = await scroll(page);
  const count = messagesOfLongChat.toLocaleString('en');
  return [
    {
      ...{ name: `A conversation of ${count} messages opens, p50 of ${rounds}`, unit: 'ms', limit: 500 },
      value: Math.round(median(opened.map(({ ms }) => ms))),
    },
    { name: '— slowest', unit: 'ms', value: Math.round(Math.max(...opened.map(({ ms }) => ms))) },
    {
      ...{ name: '— of it the answer of the API with the newest 100, p50', unit: 'ms' },
      value: Math.round(median(opened.map(({ answerMs }) => answerMs))),
    },
    {
      ...{ name: `Frame while all ${count} scroll, p50 of ${scrolledFrames}`, unit: 'ms', limit: 17 },
      value: rounded(median(frames)),
    },
    { name: '— p95', unit: 'ms', value: rounded(percentile(frames, 0.95)), limit: 17 },
    {
      ...{ name: '— frames over 16.7 ms by half a frame and more', unit: '%' },
      value: rounded((100 * frames.filter((ms) => ms > 25).length) / frames.length),
    },
  ];
}

/** From the click in the list until the newest message is painted with its markdown. */
async function openFromList({ page, bench, taskId }: ConsoleParts, path: string): Promise<Opening> {
  await page.goto(`${bench.started.url}/projects/${bench.projectId}`);
  await page.locator(`a[href="${path}"]`).waitFor();
  // The palette is loaded by now, and nothing else is on its way.
  await page.waitForTimeout(2_000);
  return page.evaluate<Opening>(`(async () => {
    const began = performance.now();
    document.querySelector('a[href="${path}"]').click();
    const ms = (await probe.painted(() => ${newest})) - began;
    const answer = performance.getEntriesByType('resource').find(({ name }) => name.includes('/sessions/${taskId}?'));
    return { ms, answerMs: answer.duration };
  })()`);
}

/** Shows the earlier messages, page by page. */
async function showAll(page: Page): Promise<void> {
  const earlier = page.getByRole('button', { name: 'Show earlier messages' });
  await earlier.waitFor();
  while ((await earlier.count()) > 0) {
    const turns = await page.locator('.turn').count();
    await earlier.click();
    await paintedAt(
      page,
      `document.querySelectorAll('.turn').length > ${turns} || !document.querySelector('.chat-scroll button.small')`,
    );
  }
}

/** The times between frames, from the newest message upwards. */
const scroll = (page: Page): Promise<readonly number[]> =>
  page.evaluate<readonly number[]>(`(async () => {
    const box = document.querySelector('.chat-scroll');
    box.scrollTop = box.scrollHeight;
    const frame = () => new Promise(requestAnimationFrame);
    for (let settling = 0; settling < 60; settling += 1) await frame();
    const times = [];
    let before = await frame();
    for (let place = 0; place < ${scrolledFrames}; place += 1) {
      box.scrollTop -= 60;
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    return times;
  })()`);

const rounded = (value: number) => Math.round(value * 10) / 10;
