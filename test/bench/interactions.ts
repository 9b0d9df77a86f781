import { createHash } from 'node:crypto';
import { refusalOf } from '../support/acp-harness/request-words.js';
import { LiveClient } from '../support/live-client.js';
import { type Measurement, median, percentile } from './measurement.js';
import { expectOk, soon } from './soon.js';
import { BenchCloud } from './tasks/bench-cloud.js';

const rounds = 20;
const warmUp = 3;

interface Sample {
  readonly toSocket: number;
  readonly toInbox: number;
  readonly toText: number;
}

/**
 * From the moment at which an agent asks for a permission until its person has it: the frame of the
 * chat, the item of the inbox, and the text after the frame.
 */
export async function measureInteractions(): Promise<readonly Measurement[]> {
  await using bench = await BenchCloud.start();
  const asks = { json: { defaultPermissionMode: 'default' } };
  await expectOk(bench.person.request('PATCH', `/api/projects/${bench.projectId}`, asks));
  const { taskId } = await bench.submit('Keep the node');
  await bench.untilAtRest(taskId);
  using live = await LiveClient.connect(bench.started.url, bench.person.cookieHeader);
  const { user } = await expectOk(bench.person.get('/api/auth/session'));
  await live.subscribeTo(`chat:${taskId}`);
  await live.subscribeTo(`user:${user.id}`);
  const samples: Sample[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    const sample = await asked(bench, live, { taskId, name: `round-${round}` });
    if (round >= 0) samples.push(sample);
  }
  const figure = (name: string, of: keyof Sample, part: number) => ({
    name,
    value: percentile(
      samples.map((sample) => sample[of]),
      part,
    ),
    unit: 'ms' as const,
  });
  return [
    {
      name: `Permission asked to the socket of its person, p50 of ${rounds}`,
      value: median(samples.map(({ toSocket }) => toSocket)),
      unit: 'ms',
      limit: 300,
    },
    figure('— p90', 'toSocket', 0.9),
    figure('— to the inbox on the same socket, p50', 'toInbox', 0.5),
    figure('— with its text, read after the frame, p50', 'toText', 0.5),
  ];
}

async function asked(
  bench: BenchCloud,
  live: LiveClient,
  { taskId, name }: { readonly taskId: string; readonly name: string },
): Promise<Sample> {
  const from = live.arrivals.length;
  await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content: `[[ask ${name}]]` }));
  const frame = (is: (message: LiveClient['messages'][number]) => boolean) =>
    soon('a frame', () => live.arrivals.slice(from).find(({ message }) => is(message)));
  const shown = await frame(
    (message) => message.type === 'interaction.updated' && message.data.state === 'pending',
  );
  if (shown.message.type !== 'interaction.updated') throw new Error('Another frame');
  const path = bench.session(taskId, `/interactions/${shown.message.data.interactionId}`);
  await expectOk(bench.person.get(path));
  const readAt = Date.now();
  const inInbox = await frame(
    (message) => message.type === 'inbox.added' && message.data.item.kind === 'interaction',
  );
  const at = bench.harness.journal('ask').find(({ text }) => text === name)?.at ?? Number.NaN;
  await decide(bench, path, refusalOf(name));
  await bench.untilAtRest(taskId);
  return { toSocket: shown.at - at, toInbox: inInbox.at - at, toText: readAt - at };
}

async function decide(bench: BenchCloud, path: string, optionId: string): Promise<void> {
  const answerHash = createHash('sha256').update(optionId).digest('hex');
  const json = { answerKey: 'page', decision: { kind: 'selected_option', optionId, answerHash } };
  const headers = { origin: bench.started.url };
  await expectOk(bench.person.request('POST', `${path}/answer`, { json, headers }));
}
