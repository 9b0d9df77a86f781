import { type Measurement, median, percentile } from '../measurement.js';
import { expectOk } from '../soon.js';
import { BareQueue } from './bare-queue.js';
import type { BenchCloud } from './bench-cloud.js';

const rounds = 20;
const warmUp = 3;

/**
 * Messages to an agent at rest, in turn with those of a bare queue to a bare function of the same
 * emulator.
 */
export async function measureFollowUps(bench: BenchCloud, taskId: string): Promise<readonly Measurement[]> {
  using queue = await BareQueue.make(bench.started.cloud);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = -warmUp; round < rounds; round += 1) {
    const content = `round ${round} of follow-ups`;
    await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));
    const acceptedAt = Date.now();
    const took = (await bench.prompted(content)) - acceptedAt;
    await bench.untilAtRest(taskId);
    const queued = await queue.delay();
    if (round < 0) continue;
    ours.push(took);
    bare.push(queued);
  }
  return [
    {
      name: `Follow-up accepted to harness, less the queue alone, p50 of ${rounds}`,
      value: median(ours) - median(bare),
      unit: 'ms',
      limit: 300,
    },
    { name: '— accepted to harness, p50', value: median(ours), unit: 'ms' },
    { name: '— accepted to harness, p90', value: percentile(ours, 0.9), unit: 'ms' },
    { name: '— a bare queue and function of the same emulator, p50', value: median(bare), unit: 'ms' },
  ];
}
