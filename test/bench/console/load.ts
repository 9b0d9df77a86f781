import type { Page } from 'playwright-core';
import { type Measurement, median } from '../measurement.js';
import type { ConsoleParts } from './parts.js';

const rounds = 5;

/** Slow 4G: the round-trip time and the rates that Lighthouse gives to this name. */
const slow4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 750_000 / 8,
};

interface Load {
  readonly first: number;
  readonly list: number;
  readonly shift: number;
}

async function loadOnce(page: Page, url: string): Promise<Load> {
  await page.goto(url);
  const list = await page.evaluate<number>('probe.listPainted');
  // Parts of the page that load later may still move the list.
  await page.waitForTimeout(1_500);
  const first = await page.evaluate<number>('probe.firstPaint()');
  return { first, list, shift: await page.evaluate<number>('probe.shift()') };
}

/**
 * Chromium drops its requests when a network interface of the machine comes or goes, as with
 * containers. The page then loads itself again.
 */
function ifReloaded(error: unknown): undefined {
  if (!(error instanceof Error && /because of a navigation|ERR_NETWORK_CHANGED/.test(error.message)))
    throw error;
}

/** Loads the list of tasks without a cache, on a slow network and a quarter of the processor. */
export async function measureLoad({ bench, page, context }: ConsoleParts): Promise<readonly Measurement[]> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', slow4G);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const loads: Load[] = [];
  for (let tries = 0; loads.length < rounds && tries < 3 * rounds; tries += 1) {
    const load = await loadOnce(page, bench.started.url).catch(ifReloaded);
    if (load) loads.push(load);
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await devtools.detach();
  const of = (part: 'first' | 'list' | 'shift') => loads.map((one) => one[part]);
  const where = 'on Slow 4G with a quarter of the processor';
  return [
    {
      ...{ name: `First contentful paint ${where}, p50 of ${rounds}`, unit: 'ms', limit: 1_800 },
      value: Math.round(median(of('first'))),
    },
    {
      ...{ name: `Usable list of tasks ${where}, p50 of ${rounds}`, unit: 'ms', limit: 2_500 },
      value: Math.round(median(of('list'))),
    },
    {
      ...{ name: 'Layout shift of that load, most', unit: '', limit: 0.05 },
      value: Math.round(Math.max(...of('shift')) * 1_000) / 1_000,
    },
  ];
}
