import * as z from 'zod/mini';
import { Failure, type FileOutcome, type Outcome } from './outcome.js';
import type { Plan } from './second-try.js';

/** One run of vitest; it has no outcome when it ended before its last test did. */
export interface Try {
  readonly code: number;
  readonly outcome: Outcome | undefined;
}

/** The failures of one file in each try. */
export const SecondTry = z.object({
  where: z.string(),
  first: z.array(Failure),
  second: z.array(Failure),
});
type SecondTry = z.infer<typeof SecondTry>;

export interface Verdict {
  readonly isGreen: boolean;
  /** Each file by its last try. */
  readonly files: readonly FileOutcome[];
  readonly secondTries: readonly SecondTry[];
  /** Problems of the run itself. */
  readonly problems: readonly string[];
}

const nothing: Outcome = { files: [], unhandled: [] };
export const nameOf = ({ ring, file }: FileOutcome): string => `${ring} ${file}`;

/** A run is green when each test passed in its last try, and nothing else went wrong. */
export function verdictOf(first: Try, plan: Plan, second: Try | undefined): Verdict {
  const retried = new Map((second?.outcome?.files ?? []).map((file) => [nameOf(file), file]));
  const files = (first.outcome ?? nothing).files.map((file) => retried.get(nameOf(file)) ?? file);
  const secondTries = plan.files.map((file) => ({
    where: nameOf(file),
    first: file.failures,
    second: retried.get(nameOf(file))?.failures ?? [notRun],
  }));
  const problems = [
    ...problemsOf('first', first),
    ...(second ? problemsOf('second', second) : []),
    ...(plan.refusal ? [plan.refusal] : []),
  ];
  const isGreen =
    problems.length === 0 &&
    files.every(({ failures }) => failures.length === 0) &&
    secondTries.every((tried) => tried.second.length === 0);
  return { isGreen, files, secondTries, problems };
}

const notRun: Failure = { title: '', reason: 'The second try did not run.', isFinal: true, logs: [] };

/** An exit code without a failed test has a cause of its own, as a set-up that failed. */
function problemsOf(name: string, { code, outcome }: Try): readonly string[] {
  if (!outcome) return [`The ${name} run of vitest ended with exit code ${code} and without a result.`];
  const hasFailures = outcome.files.some(({ failures }) => failures.length > 0);
  return [
    ...outcome.unhandled.map((reason) => `Outside of a test: ${reason}`),
    ...(code !== 0 && !hasFailures && outcome.unhandled.length === 0
      ? [`The ${name} run of vitest ended with exit code ${code} although no test failed.`]
      : []),
  ];
}
