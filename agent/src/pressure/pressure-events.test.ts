import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import type { PressureEvent } from './pressure.js';
import { PressureEvents } from './pressure-events.js';

const lines: string[] = [];
const log = new Log({ level: 'debug', format: 'json' }, (line) => lines.push(line));
const memory = (second: number): PressureEvent => ({
  type: 'system_memory_pressure',
  level: 'critical',
  collectedAt: new Date(second * 1_000),
  containers: [],
});
const death = (containerId: string): PressureEvent => ({
  type: 'container_oom',
  level: 'critical',
  ...{ containerId, containerName: containerId, workspaceId: undefined, exitCode: 137 },
  occurredAt: new Date(0),
});

async function take(events: AsyncIterable<PressureEvent>, count: number): Promise<PressureEvent[]> {
  const taken: PressureEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

it('drops the newest of a full queue, counts it, and keeps a place for deaths', async () => {
  lines.length = 0;
  const events = new PressureEvents(2, log);
  const reader = events.subscribe();

  for (const event of [memory(1), memory(2), memory(3), death('a')]) events.emit(event);

  expect(events.dropped).toBe(1);
  expect(lines).toHaveLength(1);
  expect(await take(reader, 3)).toEqual([death('a'), memory(1), memory(2)]);
});

it('gives each reader all events since it subscribed, and none of before', async () => {
  const events = new PressureEvents(2, log);
  const early = events.subscribe();
  events.emit(memory(1));
  const late = events.subscribe();
  events.emit(memory(2));

  expect(await take(early, 2)).toEqual([memory(1), memory(2)]);
  expect(await take(late, 1)).toEqual([memory(2)]);
});

it('drops nothing for a reader that has left, or where nobody reads', async () => {
  const events = new PressureEvents(1, log);
  const reader = events.subscribe();
  events.emit(memory(1));
  await take(reader, 1);

  for (const second of [2, 3, 4]) events.emit(memory(second));

  expect(events.dropped).toBe(0);
});

it('wakes a waiting reader, and ends it when disposed', async () => {
  const events = new PressureEvents(1, log);
  const taken: PressureEvent[] = [];
  const reading = (async () => {
    for await (const event of events.subscribe()) taken.push(event);
  })();
  await Promise.resolve();
  events.emit(memory(1));
  await new Promise(setImmediate);

  events[Symbol.dispose]();
  await reading;

  expect(taken).toEqual([memory(1)]);
  expect(await take(events.subscribe(), 1)).toEqual([]);
});
