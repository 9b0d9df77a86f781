import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Moment } from './read-spans.js';

/** A test that failed; of a file's hooks and imports, the title is that of the suite, or empty. */
export const Failure = z.object({
  title: z.string(),
  reason: z.string(),
  /** Something left behind: a second try would hide it. */
  isFinal: z._default(z.boolean(), false),
  /** The last lines of the logs of the parts that the test used. */
  logs: z._default(z.array(z.string()), []),
  /** The folder that keeps its logs, screenshots and traces. */
  artefacts: z.optional(z.string()),
});
export type Failure = z.infer<typeof Failure>;

export const FileOutcome = z.object({
  /** The vitest project, or the name of a ring that runs tests of another project. */
  ring: z.string(),
  file: z.string(),
  from: Moment,
  to: Moment,
  /** Imports and hooks: what the file prepares and ends. */
  setUpMs: z.number(),
  testsMs: z.number(),
  passed: z.int(),
  skipped: z.int(),
  failures: z.array(Failure),
});
export type FileOutcome = z.infer<typeof FileOutcome>;

/** The result of one run of vitest. */
export const Outcome = z.object({
  files: z.array(FileOutcome),
  /** Errors that no test caught. */
  unhandled: z.array(z.string()),
});
export type Outcome = z.infer<typeof Outcome>;

/** Nothing when vitest ended before its last test did. */
export function readOutcome(path: string): Outcome | undefined {
  return existsSync(path) ? Outcome.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}
