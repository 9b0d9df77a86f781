import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LiveClient } from '../../support/live-client.js';
import type { Measurement } from '../measurement.js';
import { expectOk } from '../soon.js';
import { BenchCloud } from '../tasks/bench-cloud.js';
import { type Bill, type BillItem, billItems, billOf, plus, times, totalOf } from './bill.js';
import { prices } from './prices.js';
import { parseUsage, type UsageLine } from './usage.js';

const turnsOfTask = 200;
const minutesOfTask = 60;
const countedTurns = 10;
const countedMinutes = 2;

/**
 * What the control plane costs for a task of an hour and 200 turns that one member watches. Counted are its beginning and
 * its end, ten turns, and two minutes of one turn; turns and minutes are scaled.
 */
export async function measureCost(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-cost-'));
  try {
    const file = join(folder, 'usage.jsonl');
    await using bench = await BenchCloud.start({ BERTH_USAGE_FILE: file });
    const { taskId: kept } = await bench.submit('Keep the node');
    await bench.untilAtRest(kept);
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
  await meter.rest();
  const beginning = meter.take();
  for (let turn = 0; turn < countedTurns; turn += 1) await takeTurn(bench, taskId, turn);
  await meter.rest();
  const turns = meter.take();
  const fragments = await writesOfFragments(bench, taskId, meter);
  await prompt(bench, taskId, 'Work on [[wait the-end]]');
  await meter.rest();
  const prompted = meter.take();
  await wait(countedMinutes * 60_000);
  const minutes = meter.take();
  bench.harness.openGate('the-end');
  await meter.rest();
  await bench.close(taskId);
  await meter.rest();
  const end = plus(prompted, meter.take());
  const socket = { ...times(minutes, 0), live: minutesOfTask * prices.socketMinute };
  const turnsBill = times(turns, turnsOfTask / countedTurns);
  const minutesBill = plus(socket, times(minutes, minutesOfTask / countedMinutes));
  return [...toMeasurements({ beginning, turns: turnsBill, minutes: minutesBill, end }), ...fragments];
}

/** Of a turn whose answer is one message in ten thousand pieces, two hundred a second. */
async function writesOfFragments(
  bench: BenchCloud,
  taskId: string,
  meter: Meter,
): Promise<readonly Measurement[]> {
  await prompt(bench, taskId, 'Speak [[flood 10000 200]]');
  await bench.answered('Speak ');
  await meter.rest();
  const writes = meter.takeLines().filter((line) => line.kind === 'table' && line.items > 0);
  const items = writes.reduce((sum, line) => sum + (line.kind === 'table' ? line.items : 0), 0);
  const name = 'A turn with an answer of 10,000 fragments, all its';
  return [
    { name: `${name} calls that write`, value: writes.length, unit: 'writes' },
    { name: `${name} items written`, value: items, unit: 'writes', limit: 60 },
  ];
}

/** A message, a tool call, three seconds of work and an answer of a thousand characters; then the member reads on. */
async function takeTurn(bench: BenchCloud, taskId: string, turn: number): Promise<void> {
  await prompt(bench, taskId, `Turn ${turn} [[tool Read]][[sh sleep 3]][[long 1000]]`);
  await bench.answered(`Turn ${turn} `);
  await expectOk(bench.person.get(bench.session(taskId, '/messages?order=desc&limit=20')));
}

const prompt = (bench: BenchCloud, taskId: string, content: string) =>
  expectOk(bench.person.post(bench.session(taskId, '/prompt'), { content }));

/** Reads what was used since it was read last. */
class Meter {
  private seen = 0;

  constructor(private readonly file: string) {}

  take(): Bill {
    return billOf(this.takeLines());
  }

  takeLines(): readonly UsageLine[] {
    const lines = parseUsage(this.text());
    const fresh = lines.slice(this.seen);
    this.seen = lines.length;
    return fresh;
  }

  /** Nothing more is used for what was done. */
  async rest(): Promise<void> {
    for (let before = -1; before !== this.text().length; ) {
      before = this.text().length;
      await wait(restMs);
    }
  }

  private text(): string {
    return readFileSync(this.file, 'utf8');
  }
}

/** Longer than a batch of messages or a report of activity waits. */
const restMs = 4_000;

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
    line('— 60 minutes of heartbeats and an open socket', totalOf(minutes)),
    line('— its end', totalOf(end)),
    ...billItems.map((item) => line(`Of it: ${names[item]}`, whole[item])),
  ];
}

const cents = (dollars: number) => Math.round(dollars * 100_000) / 1_000;
