import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../agent/random.js';
import { sendSignal } from '../processes.js';
import type { CloudFaultKind, CloudHistory } from './cloud-history.js';
import type { CloudTarget } from './cloud-target.js';

/** Longer than the control plane waits for an answer of a node. */
const frozenMs = 6_000;

type Break = (target: CloudTarget, random: Random) => Promise<boolean>;

const breaks: Readonly<Record<CloudFaultKind, Break>> = {
  kill_agent: async (target) => kill(target.agentPid()),
  /** It answers after the time-out, as if the network held everything up. */
  freeze_agent: async (target) => {
    const pid = target.agentPid();
    if (pid === undefined || !sendSignal(pid, 'SIGSTOP')) return false;
    await wait(frozenMs);
    return sendSignal(pid, 'SIGCONT');
  },
  kill_harness: async (target, random) => kill(random.pick(await target.harnessPids())),
  /** A function that dies with a bell in its hand, wherever it is. */
  kill_worker: async (target, random) => kill(random.pick(await target.workerPids())),
  ring_twice: async (target, random) => {
    for (let times = random.between(1, 3); times > 0; times -= 1)
      await target.ring(random.pick(target.sessionIds) ?? '');
    return true;
  },
  lose_bell: (target) => target.loseBell(),
};

/** Bells are lost and doubled more often than machines break. */
const choices: readonly CloudFaultKind[] = [
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
  'kill_worker',
  'ring_twice',
  'ring_twice',
  'lose_bell',
  'lose_bell',
];

export interface CloudRampage {
  readonly random: Random;
  readonly pauseMs: readonly [number, number];
  readonly signal: AbortSignal;
}

/** Breaks things, one after the other, until it is told to stop. */
export async function rampageInCloud(
  target: CloudTarget,
  history: CloudHistory,
  { random, pauseMs, signal }: CloudRampage,
): Promise<void> {
  while (!signal.aborted) {
    await wait(random.between(...pauseMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const kind = random.pick(choices) ?? 'ring_twice';
    const from = Date.now();
    if (await breaks[kind](target, random)) history.faults.push({ kind, from, to: Date.now() });
  }
}

const kill = (pid: number | undefined): boolean => pid !== undefined && sendSignal(pid, 'SIGKILL');
