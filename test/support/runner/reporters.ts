import type { Reporter } from 'vitest/node';
import { FailuresLast } from '../failures-last.js';
import { SlowestFiles } from '../slowest-files.js';
import { AttacksReport } from './attacks-report.js';
import { OutcomeReporter } from './outcome-reporter.js';

/** A run of scripts/test-run reports the outcome itself; a run of vitest alone does it here. */
export function ownReporters(): readonly Reporter[] {
  const path = process.env.BERTH_TEST_OUTCOME;
  if (path === undefined) return [new SlowestFiles(), new AttacksReport(), new FailuresLast()];
  return [new OutcomeReporter(path, process.env.BERTH_TEST_RING)];
}
