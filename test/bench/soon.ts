import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from '../support/person.js';

const waitMs = 120_000;

/**
 * As `until` of the tests, but it looks every few milliseconds: its own delay must not be what is
 * measured.
 */
export async function soon<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  everyMs = 4,
): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Not within ${waitMs} ms: ${what}`);
    await delay(everyMs);
  }
}

/** The body of an answer that is none of an error. */
export async function expectOk(answer: ReturnType<Person['get']>) {
  const { status, text, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}
