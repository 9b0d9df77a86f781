import type { BrowserContext, Page } from 'playwright-core';
import type { BenchCloud } from '../tasks/bench-cloud.js';

/** A page of a person who is signed in, and a task with a long conversation. */
export interface ConsoleParts {
  readonly bench: BenchCloud;
  readonly taskId: string;
  readonly page: Page;
  readonly context: BrowserContext;
}

/** The time in the page at which it has painted the thing that the expression finds. */
export const paintedAt = (page: Page, expression: string): Promise<number> =>
  page.evaluate<number>(`probe.painted(() => ${expression})`);
