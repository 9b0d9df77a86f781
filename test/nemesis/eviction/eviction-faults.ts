import { setTimeout as wait } from 'node:timers/promises';
import type { Sleeper } from '../../integration/workspaces/sleep-stage.js';
import type { Random } from '../agent/random.js';
import type { StopFault } from './engine-door.js';
import type { EvictionFaultKind } from './eviction-history.js';
import type { AnswerFault, CallbackEnd } from './eviction-plane.js';
import type { EvictionTarget } from './eviction-target.js';
import type { NemesisNode } from './nemesis-node.js';
import type { UploadFault } from './object-door.js';

export interface Scene {
  readonly target: EvictionTarget;
  readonly node: NemesisNode;
  readonly victim: Sleeper;
  readonly random: Random;
}

const captureEnds: readonly CallbackEnd[] = ['prepare', 'progress', 'upload-url', 'complete'];
const killedEnds: readonly CallbackEnd[] = [...captureEnds, 'eviction'];
const answers: readonly AnswerFault[] = [500, 503, 429, 404, 409, 410, 'lost', 'slow'];
/** 404 and 410 are said by the real control plane only when it knows that nothing is to be done. */
const reportAnswers: readonly AnswerFault[] = [500, 503, 429, 409, 'lost', 'slow'];
const uploads: readonly UploadFault[] = ['refused', 'slow', 'cut', 'lost_answer'];
const stops: readonly StopFault[] = ['refused', 'silent', 'late'];

const pressureOnly: readonly EvictionFaultKind[] = ['restart_during', 'pressure_passes', 'stop'];
const common: readonly EvictionFaultKind[] = [
  ...(['upload', 'answer', 'report_answer', 'kill_at_commit', 'kill_at_callback'] as const),
  ...(['disk_full', 'two_victims'] as const),
];

/** One round in five has no fault, one in three has two. */
export function chooseFaults(random: Random, trigger: 'pressure' | 'out_of_memory'): EvictionFaultKind[] {
  if (random.chance(0.2)) return [];
  const kinds = trigger === 'pressure' ? [...common, ...pressureOnly] : common;
  const first = random.pick(kinds);
  const second = random.chance(0.4) ? random.pick(kinds) : undefined;
  return [...new Set([first, second])].filter((kind) => kind !== undefined);
}

/** Prepares what happens during the eviction that begins next. Ends with the last of it. */
export async function breakEviction(scene: Scene, kinds: readonly EvictionFaultKind[]): Promise<void> {
  await Promise.all(kinds.map((kind) => breaks[kind](scene)));
}

/** The other victim of the round may have ended the pressure. */
const longestMs = 15_000;

const some = <T>(random: Random, all: readonly T[]): T[] =>
  Array.from({ length: random.between(1, 2) }, () => random.pick(all)).filter((one) => one !== undefined);

const breaks: Readonly<Record<EvictionFaultKind, (scene: Scene) => Promise<void> | void>> = {
  upload: ({ target, random }) => target.plane.objects.fail(...some(random, uploads)),
  answer: ({ target, random }) =>
    target.plane.fail(random.pick(captureEnds) ?? 'prepare', ...some(random, answers)),
  report_answer: ({ target, random }) => target.plane.fail('eviction', ...some(random, reportAnswers)),
  stop: ({ node, random }) => void node.door.faults.push(...some(random, stops)),
  kill_at_commit: ({ node, random }) =>
    node.dieAtCommit(random.between(1, 14), random.chance(0.5) ? 'before' : 'after'),
  kill_at_callback: ({ target, node, random }) =>
    target.plane.at(random.pick(killedEnds) ?? 'prepare', random.chance(0.5) ? 'before' : 'after', () =>
      node.agent.kill('SIGKILL'),
    ),
  disk_full: async ({ node, random }) => {
    await wait(random.between(0, 1_500));
    node.fillDisk();
    await wait(random.between(1_000, 4_000));
    node.freeDisk();
  },
  pressure_passes: async ({ node, random }) => {
    await wait(random.between(800, 2_500));
    node.holdPressure('none');
    await wait(random.between(500, 2_000));
    node.holdPressure(null);
  },
  restart_during: async ({ target, node, victim, random }) => {
    // Otherwise another workspace would be the next victim.
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    target.plane.at('prepare', 'before', async () => resolve());
    const hasBegun = await Promise.race([begun.then(() => true), wait(longestMs, false)]);
    if (!hasBegun) return;
    await wait(random.between(0, 2_500));
    await target.restart(victim, () => node.setPressure('none'));
  },
  // The driver lets another workspace of the node run out of memory.
  two_victims: () => undefined,
};

/** No fault is left. */
export function calm({ target, node }: Pick<Scene, 'target' | 'node'>): void {
  target.plane.calm();
  node.door.faults.length = 0;
  node.live();
  node.freeDisk();
  node.holdPressure(null);
}
