import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { FileOutcome, Outcome } from '../../../scripts/test-run/outcome.js';
import { type Moment, moment } from '../../../scripts/test-run/spans.mjs';
import { failuresOf, reasonOf } from './failures-of.js';

/** Writes what a run of vitest found and how long each file took, for the report of the run. */
export class OutcomeReporter implements Reporter {
  private readonly times = new Map<string, { from: Moment; to: Moment }>();

  /** @param ring the ring of all files, if it is not that of their project */
  constructor(
    private readonly path: string,
    private readonly ring?: string,
  ) {}

  onTestModuleQueued(module: TestModule): void {
    const now = moment();
    this.times.set(module.id, { from: now, to: now });
  }

  onTestModuleEnd(module: TestModule): void {
    const now = moment();
    this.times.set(module.id, { from: this.times.get(module.id)?.from ?? now, to: now });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcome: Outcome = {
      files: modules.map((module) => this.outcomeOf(module)),
      unhandled: unhandled.map((error) => reasonOf([error])),
    };
    writeFileSync(this.path, JSON.stringify(outcome));
  }

  private outcomeOf(module: TestModule): FileOutcome {
    const tests = [...module.children.allTests()];
    const testsMs = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
    const now = moment();
    return {
      ring: this.ring ?? module.project.name,
      file: module.relativeModuleId,
      ...(this.times.get(module.id) ?? { from: now, to: now }),
      setUpMs: Math.max(0, wholeMs(module) - testsMs),
      testsMs,
      passed: tests.filter((test) => test.result().state === 'passed').length,
      skipped: tests.filter((test) => test.result().state === 'skipped').length,
      failures: [...failuresOf(module)],
    };
  }
}

function wholeMs(module: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    module.diagnostic();
  return collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration;
}
