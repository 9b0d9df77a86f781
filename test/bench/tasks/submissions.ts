import { type Measurement, median, percentile } from '../measurement.js';
import { expectOk } from '../soon.js';
import type { BenchCloud, SubmittedTask } from './bench-cloud.js';
import { SagaTimes } from './saga-times.js';

/**
 * What a person waits for once they have sent a task, in order; each part ends where the next
 * begins.
 */
const parts = [
  'the request itself',
  'until its workspace is made (access to the repository)',
  'placement',
  'until the node works on it',
  'on the node (clone)',
  'until the saga knows that it runs',
  'the task delegated',
  'the agent session made',
  'until the harness begins',
  'until the harness has the prompt',
] as const;

const rounds = 16;

/** Tasks one after the other on a node that is up. */
export async function measureSubmissions(bench: BenchCloud): Promise<readonly Measurement[]> {
  using sagas = new SagaTimes(bench.started.cloud);
  const samples: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const words = `round ${round} of submissions`;
    const task = await bench.submit(words);
    const promptedAt = await bench.prompted(words);
    await bench.untilAtRest(task.taskId);
    samples.push(await timesOf(bench, sagas, { task, promptedAt }));
    await bench.close(task.taskId);
  }
  return toMeasurements(samples);
}

/** The moments at which the parts begin, and the end of the last. */
async function timesOf(
  { person, tasks, harness }: BenchCloud,
  sagas: SagaTimes,
  {
    task: { taskId, askedAt, acceptedAt },
    promptedAt,
  }: { readonly task: SubmittedTask; readonly promptedAt: number },
): Promise<number[]> {
  const { workspaceId } = await expectOk(person.get(`${tasks}/${taskId}`));
  const run = await sagas.exits(/RunTask/, `${taskId}-1-run`);
  const provision = await sagas.exits(/ProvisionWorkspace/, `${workspaceId}-1`);
  const { logs } = await expectOk(person.get(`/api/workspaces/${workspaceId}/boot-log`));
  const logged = (index: number) => Date.parse(logs.at(index).timestamp ?? logs.at(index).createdAt);
  const begun = harness.journal('process').findLast(({ at }) => at <= promptedAt)?.at ?? Number.NaN;
  return [
    askedAt,
    acceptedAt,
    run('CreateWorkspace'),
    provision('PlaceWorkspace'),
    logged(0),
    logged(-1),
    run('ProvisionWorkspace'),
    run('CheckWorkspace'),
    run('CreateAgentSession'),
    begun,
    promptedAt,
  ];
}

function toMeasurements(samples: readonly number[][]): readonly Measurement[] {
  const between = (from: number, to: number) => samples.map((at) => (at[to] ?? 0) - (at[from] ?? 0));
  const totals = between(0, parts.length);
  return [
    {
      name: `Task submitted to the harness's first prompt, p50 of ${rounds}`,
      value: median(totals),
      unit: 'ms',
      limit: 2_500,
    },
    { name: "Task submitted to the harness's first prompt, p90", value: percentile(totals, 0.9), unit: 'ms' },
    ...parts.map(
      (part, index): Measurement => ({
        name: `— ${part}, p50`,
        value: median(between(index, index + 1)),
        unit: 'ms',
      }),
    ),
  ];
}
