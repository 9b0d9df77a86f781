import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** What the work takes alone on one core of a small virtual machine. */
const quietMs = 120;
const rounds = 36;
const largest = 5;

export interface MachineLoad {
  readonly workMs: number;
  /** Programs that want a core, in the last minute. */
  readonly load: number;
  readonly cores: number;
}

/** How much longer than on a quiet machine a wait may take; never shorter. */
export function waitFactor({ workMs, load, cores }: MachineLoad): number {
  const factor = Math.max(1, workMs / quietMs, load / cores);
  return Math.min(largest, Math.round(factor * 10) / 10);
}

export function measureLoad(): MachineLoad {
  const block = Buffer.alloc(4 * 1_024 * 1_024);
  const start = performance.now();
  for (let round = 0; round < rounds; round++) createHash('sha256').update(block).digest();
  return { workMs: performance.now() - start, load: loadOfLastMinute(), cores: availableParallelism() };
}

function loadOfLastMinute(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ', 1)[0]);
  } catch {
    return 0;
  }
}

/** Measured once, by the process that starts the workers; they take it from the environment. */
export function useWaitFactor(): number {
  const known = Number(process.env.BERTH_WAIT_FACTOR);
  if (known >= 1) return known;
  const load = measureLoad();
  const factor = waitFactor(load);
  process.env.BERTH_WAIT_FACTOR = String(factor);
  const work = `known work took ${load.workMs.toFixed(0)} ms, ${quietMs} ms on a quiet machine`;
  console.log(` Limits of waits × ${factor}: ${work}; load ${load.load} on ${load.cores} cores.`);
  return factor;
}
