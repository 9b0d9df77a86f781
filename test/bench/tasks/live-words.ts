import { LiveClient, wordsIn } from '../../support/live-client.js';
import { type Measurement, median } from '../measurement.js';
import { expectOk, soon } from '../soon.js';
import type { BenchCloud } from './bench-cloud.js';

const rounds = 16;

/**
 * From the moment at which an agent says something until a member who has subscribed to its chat is
 * reports it.
 */
export async function measureLiveWords(bench: BenchCloud, taskId: string): Promise<readonly Measurement[]> {
  using live = await LiveClient.connect(bench.started.url, bench.person.cookieHeader);
  await live.subscribeTo(`chat:${taskId}`);
  const [last, midst]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    last.push(await reported(bench, live, { taskId, content: `Last words ${round} ${sayWhen}` }));
    await bench.untilAtRest(taskId);
    const gate = `words-${round}`;
    midst.push(await reported(bench, live, { taskId, content: `Words ${round} ${sayWhen}[[wait ${gate}]]` }));
    bench.harness.openGate(gate);
    await bench.untilAtRest(taskId);
  }
  return [
    ...toMeasurements("An agent's last words of a turn to a member's socket", last),
    ...toMeasurements("An agent's words within a turn to a member's socket", midst),
  ];
}

/** It says the millisecond at which it says it. */
const sayWhen = '[[sh date +%s%3N]]';

async function reported(
  bench: BenchCloud,
  live: LiveClient,
  { taskId, content }: { readonly taskId: string; readonly content: string },
): Promise<number> {
  const from = live.arrivals.length;
  await expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));
  const said = await soon(
    'what the agent says',
    async () => {
      const { messages } = await expectOk(
        bench.person.get(bench.session(taskId, '/messages?order=desc&limit=5')),
      );
      const asked = messages.findIndex((message: Message) => message.content === content);
      return messages.slice(0, Math.max(asked, 0)).find(({ role }: Message) => role === 'assistant');
    },
    50,
  );
  const at = Number(/sh 0: (\d+)/.exec(said.content)?.[1]);
  const frame = await soon('the frame with the words', () =>
    live.arrivals
      .slice(from)
      .find(({ message }) => wordsIn(message).some(({ sequence }) => sequence === said.sequence)),
  );
  return frame.at - at;
}

interface Message {
  readonly role: string;
  readonly content: string;
}

const toMeasurements = (name: string, ms: readonly number[]): readonly Measurement[] => [
  { name: `${name}, p50 of ${rounds}`, value: median(ms), unit: 'ms', limit: 1_000 },
  { name: `${name}, slowest`, value: Math.max(...ms), unit: 'ms', limit: 1_000 },
];
