import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spareSeconds } from '../../../lambdas/domain/node-client/node-access.js';
import { tokenLifetimeSeconds } from '../../../protocol/tokens.js';
import { LiveClient, wordsIn } from '../../support/live-client.js';
import type { Measurement } from '../measurement.js';
import { expectOk, soon } from '../soon.js';
import { BenchCloud } from '../tasks/bench-cloud.js';
import { type Bill, type BillItem, billItems, billOf, isSignature, plus, times, totalOf } from './bill.js';
import { Meter } from './meter.js';
import { prices } from './prices.js';
import { billOfSleep, cents } from './sleep-bill.js';
import type { UsageLine } from './usage.js';

const turnsOfTask = 200;
const minutesOfTask = 60;
const countedTurns = 10;
const countedMinutes = 2;

/**
 * Of the one function that calls the node in a turn: its token is signed again before the last
 * minute of its life.
 */
const signaturesOfTask = (minutesOfTask * 60) / (tokenLifetimeSeconds.management - spareSeconds);

/**
 * By then the control plane has asked the node once more what became of a first prompt, after two
 * minutes and by its sweep.
 */
const confirmedMs = 200_000;

/**
 * What the control plane costs for a task of an hour and 200 turns that one member watches. Counted
 * are its beginning and its end, ten turns, and two minutes of one turn; turns and minutes are
 * scaled.
 */
export async function measureCost(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-cost-'));
  try {
    const file = join(folder, 'usage.jsonl');
    await using bench = await BenchCloud.start({ BERTH_USAGE_FILE: file });
    const { taskId: kept } = await bench.submit('Keep the node');
    await bench.untilAtRest(kept);
    await wait(confirmedMs);
    return await measure(bench, new Meter(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(bench: BenchCloud, meter: Meter): Promise<readonly Measurement[]> {
  using live = await LiveClient.connect(bench.started.url, bench.person.cookieHeader);
  meter.take();
  const { taskId } = await bench.submit('Begin');
  await live.subscribeTo(`chat:${taskId}`);
  await readOn(bench, taskId);
  await meter.rest();
  const beginning = billOf(meter.take());
  for (let turn = 0; turn < countedTurns; turn += 1) await takeTurn(bench, live, { taskId, turn });
  await meter.rest();
  const turns = unsigned(meter.take());
  await requireWords(bench, live, taskId);
  const fragments = await writesOfFragments(bench, taskId, meter);
  const sleep = await billOfSleep(bench, meter, taskId);
  await prompt(bench, taskId, 'Work on [[wait the-end]]');
  await meter.rest();
  const prompted = billOf(meter.take());
  await wait(countedMinutes * 60_000);
  const minutes = unsigned(meter.take());
  bench.harness.openGate('the-end');
  await meter.rest();
  await bench.close(taskId);
  await meter.rest();
  const end = plus(prompted, billOf(meter.take()));
  const byTime = {
    ...times(minutes, 0),
    live: minutesOfTask * prices.socketMinute,
    keys: signaturesOfTask * prices.signature,
  };
  const turnsBill = times(turns, turnsOfTask / countedTurns);
  const minutesBill = plus(byTime, times(minutes, minutesOfTask / countedMinutes));
  const phases = { beginning, turns: turnsBill, minutes: minutesBill, end };
  return [...toMeasurements(phases), ...sleep, ...fragments];
}

const unsigned = (lines: readonly UsageLine[]): Bill => billOf(lines.filter((line) => !isSignature(line)));

/** Of a turn whose answer is one message in ten thousand pieces, two hundred a second. */
async function writesOfFragments(
  bench: BenchCloud,
  taskId: string,
  meter: Meter,
): Promise<readonly Measurement[]> {
  await prompt(bench, taskId, 'Speak [[flood 10000 200]]');
  await bench.answered('Speak ');
  await meter.rest();
  const writes = meter.take().filter((line) => line.kind === 'table' && line.items > 0);
  const items = writes.reduce((sum, line) => sum + (line.kind === 'table' ? line.items : 0), 0);
  const name = 'A turn with an answer of 10,000 fragments, all its';
  return [
    { name: `${name} calls that write`, value: writes.length, unit: 'writes' },
    { name: `${name} items written`, value: items, unit: 'writes', limit: 60 },
  ];
}

/**
 * A message, a tool call, three seconds of work and an answer of a thousand characters, to an agent
 * at rest.
 */
async function takeTurn(
  bench: BenchCloud,
  live: LiveClient,
  { taskId, turn }: { readonly taskId: string; readonly turn: number },
): Promise<void> {
  const from = live.messages.length;
  await prompt(bench, taskId, `Turn ${turn} [[tool Read]][[sh sleep 3]][[long 1000]]`);
  await bench.answered(`Turn ${turn} `);
  await soon('the frame that says that its agent rests', () =>
    live.messages
      .slice(from)
      .find((message) => message.type === 'session.activity' && message.data.activity === 'idle'),
  );
}

const readOn = (bench: BenchCloud, taskId: string) =>
  expectOk(bench.person.get(bench.session(taskId, '/messages?order=desc&limit=20')));

/** Who watches need not have read anything: all that was said has come with the frames. */
async function requireWords(bench: BenchCloud, live: LiveClient, taskId: string): Promise<void> {
  const said = live.messages.flatMap(wordsIn);
  const reported = new Map(said.map(({ sequence, content }) => [sequence, content]));
  const { messages } = await readOn(bench, taskId);
  for (const { sequence, content } of messages)
    if (reported.get(sequence) !== content)
      throw new Error(`Message ${sequence} has not come with the frames`);
}

const prompt = (bench: BenchCloud, taskId: string, content: string) =>
  expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));

const names: Readonly<Record<BillItem, string>> = {
  table: 'reads and writes of the table',
  functions: 'functions',
  requests: 'HTTP requests, those of people with CloudFront',
  live: 'live sockets',
  queues: 'queues',
  sagas: 'steps of sagas',
  keys: 'signatures and sealed secrets',
  rest: 'logs, objects, secrets',
};

type Phases = Readonly<Record<'beginning' | 'turns' | 'minutes' | 'end', Bill>>;

function toMeasurements({ beginning, turns, minutes, end }: Phases): readonly Measurement[] {
  const whole = [beginning, turns, minutes, end].reduce(plus);
  const unit = '¢';
  const line = (name: string, dollars: number): Measurement => ({ name, value: cents(dollars), unit });
  return [
    { ...line('Control plane, a task of an hour and 200 turns', totalOf(whole)), limit: 1 },
    line('— until its agent works', totalOf(beginning)),
    line('— 200 turns', totalOf(turns)),
    line('— 60 minutes of heartbeats, an open socket and tokens', totalOf(minutes)),
    line('— its end', totalOf(end)),
    ...billItems.map((item) => line(`Of it: ${names[item]}`, whole[item])),
  ];
}
