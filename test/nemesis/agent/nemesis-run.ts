import { checkHistory, type Verdict } from './check-history.js';
import { DeliveryClient } from './delivery-client.js';
import { Driver, Remaining } from './driver.js';
import { type FaultPace, rampage } from './faults.js';
import { emptyHistory, type History } from './history.js';
import { NemesisTarget } from './nemesis-target.js';
import { Random } from './random.js';

interface NemesisOptions {
  readonly prompts: number;
  readonly seed: number;
  readonly pace: FaultPace;
  readonly drivers?: number;
  /** Bundle to run instead of the real agent. */
  readonly bundle?: string;
  readonly onProgress?: (done: number) => void;
}

export interface NemesisResult extends Verdict {
  readonly history: History;
  readonly seconds: number;
}

/**
 * Sends prompts to a real agent with a real harness, kills and freezes both and cuts connections.
 * Then checks the history of the clients against the journal of the harness.
 */
export async function runNemesis(options: NemesisOptions): Promise<NemesisResult> {
  const startedAt = Date.now();
  await using target = await NemesisTarget.start(options.bundle ?? null);
  const history = emptyHistory();
  const client = new DeliveryClient(target, history);
  const remaining = new Remaining(options.prompts);
  const ended = new AbortController();
  const faults = rampage(target, history, {
    random: new Random(options.seed),
    pace: options.pace,
    done: () => remaining.done,
    signal: ended.signal,
  });
  const timer = setInterval(() => options.onProgress?.(remaining.done), 10_000);
  try {
    const drivers = Array.from({ length: options.drivers ?? 4 }, (_, index) => {
      const random = new Random(options.seed + index + 1);
      return new Driver(`s${index}`, client, random).run(remaining);
    });
    await Promise.race([Promise.all(drivers), faults.then(() => Promise.all(drivers))]);
  } finally {
    clearInterval(timer);
    ended.abort();
    await faults;
  }
  // Deliveries that the clients left alone have ended by now.
  for (const intent of history.intents) await client.lookUp(intent);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { ...checkHistory(history, target.invocations()), history, seconds };
}
