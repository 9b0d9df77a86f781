import { setTimeout as wait } from 'node:timers/promises';
import type { HarnessProcess } from './harness-process.js';

export interface EndPatience {
  /** For an orderly end after the end of its input. */
  readonly inputMs: number;
  /** After TERM. */
  readonly termMs: number;
  /** After KILL: a process in the kernel's hands may take a while. */
  readonly killMs: number;
}

export const endPatience: EndPatience = { inputMs: 1_000, termMs: 5_000, killMs: 10_000 };

/** End of input, TERM, KILL; then whatever it left behind is killed too. Settles once it is gone. */
export async function endProcess(
  harness: HarnessProcess,
  patience: EndPatience = endPatience,
): Promise<void> {
  harness.stdin.end();
  if (!(await hasEnded(harness, patience.inputMs))) {
    await harness.signal('TERM');
    await hasEnded(harness, patience.termMs);
  }
  await harness.signal('KILL');
  if (!(await hasEnded(harness, patience.killMs))) throw new Error('The harness does not end');
}

async function hasEnded({ exited }: HarnessProcess, withinMs: number): Promise<boolean> {
  const patience = new AbortController();
  const late = wait(withinMs, false, { signal: patience.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  patience.abort();
  return ended;
}
