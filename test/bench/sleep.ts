import { type Measurement, median, percentile } from './measurement.js';
import { expectOk, soon } from './soon.js';
import { BenchCloud } from './tasks/bench-cloud.js';

const rounds = 11;

/**
 * A conversation in the repository of the laptop sleeps, and its next message wakes it on the same
 * node, again and again.
 */
export async function measureSleep(): Promise<readonly Measurement[]> {
  await using bench = await BenchCloud.start();
  const message = '[[sh echo changed >> hello.sh; echo new > new.txt]]';
  const { taskId } = await bench.submit(message, { taskMode: 'conversation' });
  await bench.untilAtRest(taskId);
  const { workspaceId } = await expectOk(bench.person.get(`${bench.tasks}/${taskId}`));
  const workspace = `/api/workspaces/${workspaceId}`;
  const [sleeps, wakes]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const askedAt = Date.now();
    await expectOk(bench.person.post(`${workspace}/sleep`));
    await soon('it sleeps, and its place is free', async () => {
      const { status, sleepPhase } = await expectOk(bench.person.get(workspace));
      return status === 'sleeping' && sleepPhase === null ? true : undefined;
    });
    sleeps.push(Date.now() - askedAt);
    const content = `round ${round} of wakes`;
    await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));
    const acceptedAt = Date.now();
    wakes.push((await bench.prompted(content)) - acceptedAt);
    await bench.untilAtRest(taskId);
  }
  return [
    {
      name: `Sleep asked to place freed, p50 of ${rounds}`,
      value: median(sleeps),
      unit: 'ms',
      limit: 3_000,
    },
    { name: '— p90', value: percentile(sleeps, 0.9), unit: 'ms' },
    {
      name: `Message to a sleeping chat accepted to harness, warm node, p50 of ${rounds}`,
      value: median(wakes),
      unit: 'ms',
      limit: 4_000,
    },
    { name: '— p90', value: percentile(wakes, 0.9), unit: 'ms' },
  ];
}
