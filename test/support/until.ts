import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `look` finds something. @throws with what it saw last */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`, { cause: last });
    await delay(100);
  }
}
