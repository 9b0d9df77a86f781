import type { Measurement } from '../measurement.js';
import { expectOk, soon } from '../soon.js';
import type { BenchCloud } from '../tasks/bench-cloud.js';
import { billOf, totalOf } from './bill.js';
import type { Meter } from './meter.js';

/** The costs of one sleep of a workspace, and of one wake by a message with its turn. */
export async function billOfSleep(
  bench: BenchCloud,
  meter: Meter,
  taskId: string,
): Promise<readonly Measurement[]> {
  const { workspaceId } = await expectOk(bench.person.get(`${bench.tasks}/${taskId}`));
  const workspace = `/api/workspaces/${workspaceId}`;
  await bench.untilAtRest(taskId);
  await meter.rest();
  meter.take();
  await expectOk(bench.person.post(`${workspace}/sleep`));
  await soon('it sleeps, and its place is free', async () => {
    const { status, sleepPhase } = await expectOk(bench.person.get(workspace));
    return status === 'sleeping' && sleepPhase === null ? true : undefined;
  });
  await meter.rest();
  const asleep = billOf(meter.take());
  const content = 'Go on after the sleep';
  await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));
  await bench.answered(content);
  await bench.untilAtRest(taskId);
  await meter.rest();
  const awake = billOf(meter.take());
  return [
    { name: 'One sleep, with its snapshot', value: cents(totalOf(asleep)), unit: '¢' },
    { name: 'One wake by a message, with its turn', value: cents(totalOf(awake)), unit: '¢' },
  ];
}

export const cents = (dollars: number): number => Math.round(dollars * 100_000) / 1_000;
