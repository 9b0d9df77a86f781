import { type Measurement, median, percentile } from '../measurement.js';
import { expectOk } from '../soon.js';
import type { ConsoleParts } from './parts.js';
import { paintedAt } from './parts.js';

const rounds = 30;

/** From the frame of the live socket with a message until the page has painted it. */
export async function measureEvents({ bench, page, taskId }: ConsoleParts): Promise<readonly Measurement[]> {
  const times: number[] = [];
  await page.reload();
  await page.locator('.chat-scroll .markdown').last().waitFor();
  for (let round = 0; round < rounds; round += 1) {
    const content = `event-${round}-of-the-benchmark`;
    const painted = paintedAt(
      page,
      `[...document.querySelectorAll('.message.of-user')].at(-1)?.textContent.includes('${content}')`,
    );
    await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));
    const at = await painted;
    const arrived = await page.evaluate<number | undefined>(`probe.arrived('${content}')`);
    // One that was read because of a gap did not come by the socket.
    if (arrived !== undefined && arrived <= at) times.push(at - arrived);
    await bench.untilAtRest(taskId);
  }
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const name = `From a frame of the live socket to its paint, ${times.length} messages`;
  return [
    { name: `${name}, p50`, unit: 'ms', value: rounded(median(times)) },
    { name: '— p95', unit: 'ms', value: rounded(percentile(times, 0.95)), limit: 100 },
  ];
}
