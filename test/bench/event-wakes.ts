import { setTimeout as delay } from 'node:timers/promises';
import { wakeLimits } from '../../lambdas/domain/event-wakes/wake-limits.js';
import { type Measurement, median, percentile } from './measurement.js';
import { expectOk } from './soon.js';
import { BenchCloud } from './tasks/bench-cloud.js';

const followers = 3;
const rounds = 4;

/**
 * Events that wake an agent at rest: an agent publishes on the channel of another one, which gets a
 * prompt. From the time on the event, at which the function that records it begins, to the harness.
 */
export async function measureEventWakes(): Promise<readonly Measurement[]> {
  await using bench = await BenchCloud.start();
  const publisher = await agentAtRest(bench, 'Publish messages');
  const chats: string[] = [];
  for (let index = 0; index < followers; index += 1) {
    const chat = await agentAtRest(bench, `Follow channel ${index}`);
    await callTool(bench, chat, 'follow_event_channel', {
      ...{ channel: `bench-${index}`, idempotencyKey: 'follow' },
      requestedDelivery: 'existing_session_prompt',
    });
    chats.push(chat);
  }
  const times: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const startedAt = Date.now();
    for (const [index, chat] of chats.entries()) {
      const took = await wake(bench, { publisher, chat, channel: `bench-${index}`, sequence: round + 2 });
      if (round >= 0) times.push(took);
    }
    // A chat gets one wake in this time.
    await delay(Math.max(0, startedAt + wakeLimits.cooldownMs + 1_000 - Date.now()));
  }
  return [
    {
      ...{ name: `Event recorded to the prompt of the agent that it wakes, p50 of ${times.length}` },
      ...{ value: median(times), unit: 'ms', limit: 500 },
    },
    { name: '— p90', value: percentile(times, 0.9), unit: 'ms' },
  ];
}

interface Wake {
  readonly publisher: string;
  readonly chat: string;
  readonly channel: string;
  readonly sequence: number;
}

async function wake(bench: BenchCloud, { publisher, chat, channel, sequence }: Wake): Promise<number> {
  await callTool(bench, publisher, 'publish_channel_event', {
    ...{ channel, message: 'Look', idempotencyKey: `message-${sequence}` },
  });
  const path = `/api/projects/${bench.projectId}/event-channels/${channel}/history`;
  const { events } = await expectOk(bench.person.get(path));
  const { event } = events.find((one: { sequence: number }) => one.sequence === sequence);
  const promptedAt = await bench.prompted(event.id);
  await bench.untilAtRest(chat);
  return promptedAt - event.receivedAt;
}

async function agentAtRest(bench: BenchCloud, message: string): Promise<string> {
  const { taskId } = await bench.submit(message);
  await bench.untilAtRest(taskId);
  return taskId;
}

let calls = 0;

/** The agent calls the tool in a turn. */
async function callTool(bench: BenchCloud, chat: string, name: string, args: object): Promise<void> {
  calls += 1;
  const words = `call ${calls} of the bench`;
  const content = `${words} [[mcp ${name} ${JSON.stringify(args)}]]`;
  await expectOk(bench.person.post(bench.session(chat, '/prompt'), { content }));
  await bench.answered(words);
  await bench.untilAtRest(chat);
}
