import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../agent/random.js';
import type { ChannelFaultKind, ChannelHistory } from './channel-history.js';
import type { ChannelTarget } from './channel-target.js';
import { breakableFunctions, writeFaults } from './function-faults.js';

/** Long enough that later messages and records arrive first. */
const heldMs = 3_000;

/** False when there was nothing to break. */
type Break = (target: ChannelTarget, random: Random) => Promise<boolean>;

const breaks: Readonly<Record<ChannelFaultKind, Break>> = {
  order_write_fault: async ({ faults }, random) => {
    const [name, fault] = [random.pick(breakableFunctions), random.pick(writeFaults)];
    if (name && fault) faults.order(name, fault, random.between(0, 4));
    return true;
  },
  repeat_stream_batch: ({ stream }, random) => stream.repeat(random),
  hold_back_stream: async ({ stream }, random) => {
    await stream.holdBack(() => wait(random.between(500, heldMs)));
    return true;
  },
  send_wake_ups: async ({ wakeUps, agents }, random) => {
    await wakeUps.send(random.pick(agents)?.chatId ?? '');
    return true;
  },
  delay_wake_ups: ({ wakeUps }) => wakeUps.delay(() => wait(heldMs)),
  lose_wake_up: ({ wakeUps }) => wakeUps.lose(),
  sweep: async (target, random) => {
    await Promise.all(Array.from({ length: random.between(1, 3) }, () => target.sweep()));
    return true;
  },
};

/** Writes fail more often than anything else. */
const choices: readonly ChannelFaultKind[] = [
  ...Array.from({ length: 8 }, () => 'order_write_fault' as const),
  ...Array.from({ length: 3 }, () => 'repeat_stream_batch' as const),
  'hold_back_stream',
  'send_wake_ups',
  'delay_wake_ups',
  'lose_wake_up',
  'lose_wake_up',
  'sweep',
];

interface Rampage {
  readonly random: Random;
  readonly pauseMs: readonly [number, number];
  readonly signal: AbortSignal;
}

/** Injects faults, one after the other, until it is stopped. */
export async function breakChannels(
  target: ChannelTarget,
  history: ChannelHistory,
  { random, pauseMs, signal }: Rampage,
): Promise<void> {
  while (!signal.aborted) {
    await wait(random.between(...pauseMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const kind = random.pick(choices) ?? 'sweep';
    if (await breaks[kind](target, random)) history.faults.push(kind);
  }
}
