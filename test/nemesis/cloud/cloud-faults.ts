import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../agent/random.js';
import { sendSignal } from '../processes.js';
import type { CloudFaultKind, CloudHistory } from './cloud-history.js';
import type { CloudTarget } from './cloud-target.js';

/** Longer than the control plane waits for an answer of a node. */
const frozenMs = 6_000;
/** Long enough that later wake-ups arrive first. */
const heldMs = 3_000;

/** Which chats it may have touched, null for any; nothing when there was nothing to break. */
type Break = (target: CloudTarget, random: Random) => Promise<readonly string[] | null | undefined>;

type RepeatedKind = Exclude<CloudFaultKind, 'lose_node' | 'remove_member'>;

const breaks: Readonly<Record<RepeatedKind, Break>> = {
  kill_agent: async (target, random) => {
    const nodeId = random.pick(target.nodeIds) ?? '';
    return kill(target.agentPid(nodeId)) ? target.sessionsOn(nodeId) : undefined;
  },
  /** It answers after the time-out, as if the network held everything up. */
  freeze_agent: async (target, random) => {
    const nodeId = random.pick(target.nodeIds) ?? '';
    const pid = target.agentPid(nodeId);
    if (pid === undefined || !sendSignal(pid, 'SIGSTOP')) return undefined;
    await wait(frozenMs);
    return sendSignal(pid, 'SIGCONT') ? target.sessionsOn(nodeId) : undefined;
  },
  kill_harness: async (target, random) => touched(kill(random.pick(await target.harnessPids()))),
  /** Kills the worker at a random point while it handles a wake-up. */
  kill_worker: async (target, random) =>
    touched(await killFunction(target, 'queues/deliver-prompts', random)),
  kill_route: async (target, random) =>
    touched(await killFunction(target, random.pick(routes) ?? '', random)),
  send_wake_ups: async (target, random) => {
    for (let times = random.between(1, 3); times > 0; times -= 1)
      await target.wakeUps.send(random.pick(target.sessions)?.sessionId ?? '');
    return null;
  },
  delay_wake_ups: async (target) => touched(await target.wakeUps.delay(() => wait(heldMs))),
  lose_wake_up: async (target) => touched(await target.wakeUps.lose()),
  repeat_batch: async (target, random) => touched(await target.batches.repeat(random)),
};

const routes = ['chats/prompt', 'callbacks/messages', 'callbacks/agent-activity'].map(
  (name) => `http/${name}`,
);

/** Wake-ups are lost and repeated more often than machines fail. */
const choices: readonly RepeatedKind[] = [
  'kill_agent',
  'freeze_agent',
  'kill_harness',
  'kill_worker',
  'kill_worker',
  'kill_route',
  'send_wake_ups',
  'delay_wake_ups',
  'lose_wake_up',
  'lose_wake_up',
  'repeat_batch',
  'repeat_batch',
];

interface CloudRampage {
  readonly random: Random;
  readonly pauseMs: readonly [number, number];
  readonly signal: AbortSignal;
}

/** Injects faults, one after the other, until it is stopped. */
export async function rampageInCloud(
  target: CloudTarget,
  history: CloudHistory,
  { random, pauseMs, signal }: CloudRampage,
): Promise<void> {
  while (!signal.aborted) {
    await wait(random.between(...pauseMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const kind = random.pick(choices) ?? 'send_wake_ups';
    const from = Date.now();
    const sessionIds = await breaks[kind](target, random);
    if (sessionIds !== undefined) history.faults.push({ kind, from, to: Date.now(), sessionIds });
  }
}

/** What happens once in a run, and does not become well again. */
export async function loseSomePermanently(target: CloudTarget, history: CloudHistory): Promise<void> {
  const part = async (kind: CloudFaultKind, happens: () => Promise<readonly string[]>) => {
    const from = Date.now();
    const sessionIds = await happens();
    history.faults.push({ kind, from, to: Date.now(), sessionIds });
  };
  await Promise.all([
    part('lose_node', () => target.loseNode()),
    part('remove_member', () => target.removeGuest()),
  ]);
}

const touched = (isDone: boolean): null | undefined => (isDone ? null : undefined);

const kill = (pid: number | undefined): boolean => pid !== undefined && sendSignal(pid, 'SIGKILL');

const killFunction = async (target: CloudTarget, name: string, random: Random): Promise<boolean> =>
  kill(random.pick(await target.functionPids(name)));
