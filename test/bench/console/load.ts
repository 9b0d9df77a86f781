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

/** Loads the list of tasks without a cache, on a slow network and a quarter of the processor. */
export async function measureLoad({ bench, page, context }: ConsoleParts): Promise<readonly Measurement[]> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', slow4G);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const loads: { readonly first: number; readonly list: number; readonly shift: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(bench.started.url);
    const list = await page.evaluate<number>('probe.listPainted');
    // What comes after the list may still move it.
    await page.waitForTimeout(1_500);
    const first = await page.evaluate<number>('probe.firstPaint()');
    loads.push({ first, list, shift: await page.evaluate<number>('probe.shift()') });
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
