import { setTimeout as wait } from 'node:timers/promises';
import { sendSignal } from '../processes.js';
import type { Fault, History } from './history.js';
import type { NemesisTarget } from './nemesis-target.js';
import type { Random } from './random.js';

/** Number of deliveries between two faults, independent of the speed of the machine. */
export interface FaultPace {
  readonly least: number;
  readonly most: number;
}

interface Rampage {
  readonly random: Random;
  readonly pace: FaultPace;
  /** Deliveries so far. */
  readonly done: () => number;
  readonly signal: AbortSignal;
}

/** Without progress for this long, the next fault follows. */
const longestPauseMs = 10_000;

/** Causes faults one after the other until it is stopped. */
export async function rampage(target: NemesisTarget, history: History, options: Rampage): Promise<void> {
  const { random, signal } = options;
  while (!signal.aborted) {
    await pause(options);
    if (signal.aborted) return;
    if (random.chance(0.3)) await killAgent(target, history);
    else if (random.chance(0.6)) await killHarness(target, history, random);
    else await freezeHarness(target, history, random);
  }
}

async function pause({ random, pace, done, signal }: Rampage): Promise<void> {
  const until = done() + random.between(pace.least, pace.most);
  const deadline = Date.now() + longestPauseMs;
  while (done() < until && Date.now() < deadline && !signal.aborted) await wait(5);
  // At a random point of the running work.
  await wait(random.between(0, 150));
}

async function killAgent(target: NemesisTarget, history: History): Promise<void> {
  const [from, pid] = [Date.now(), target.agentPid];
  await target.killAgent();
  history.faults.push({ kind: 'kill_agent', pid, from, to: Date.now() });
  await target.startAgent();
}

async function killHarness(target: NemesisTarget, history: History, random: Random): Promise<void> {
  const pid = random.pick(await target.harnessPids());
  if (pid !== undefined) kill(history, pid);
}

async function freezeHarness(target: NemesisTarget, history: History, random: Random): Promise<void> {
  const pid = random.pick(await target.harnessPids());
  if (pid === undefined) return;
  const from = Date.now();
  if (!sendSignal(pid, 'SIGSTOP')) return;
  await wait(random.between(20, 600));
  if (random.chance(0.3)) kill(history, pid);
  sendSignal(pid, 'SIGCONT');
  history.faults.push({ kind: 'freeze_harness', pid, from, to: Date.now() });
}

function kill(history: History, pid: number): void {
  const from = Date.now();
  const fault: Fault = { kind: 'kill_harness', pid, from, to: from + 1 };
  if (sendSignal(pid, 'SIGKILL')) history.faults.push(fault);
}
