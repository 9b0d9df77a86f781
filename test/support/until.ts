import { setTimeout as delay } from 'node:timers/promises';
import { limitMs } from './limit-ms.js';

/**
 * Waits until `look` finds something, within a limit that scales with the machine.
 *
 * @throws with what it saw last
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  const limit = limitMs(timeoutMs);
  const deadline = Date.now() + limit;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`Not within ${limit} ms: ${what}`, { cause: last });
    await delay(100);
  }
}
