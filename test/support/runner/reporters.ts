import type { Reporter } from 'vitest/node';
import { FailuresLast } from '../failures-last.js';
import { SlowestFiles } from '../slowest-files.js';
import { AttacksReport } from './attacks-report.js';
import { OutcomeReporter } from './outcome-reporter.js';

/** A run of scripts/test-run reports the outcome itself; a run of vitest alone does it here. */
export function ownReporters(): readonly Reporter[] {
  const { BERTH_TEST_OUTCOME: path, BERTH_TEST_RING: ring } = process.env;
  if (path === undefined) return [new SlowestFiles(), new AttacksReport(), new FailuresLast()];
  const outcome = new OutcomeReporter(path, ring);
  // A ring of its own is not a run of scripts/test-run.
  return ring === undefined ? [outcome] : [outcome, new FailuresLast()];
}
