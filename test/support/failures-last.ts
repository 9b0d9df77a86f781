import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { failuresOf, linesOf, reasonOf } from './runner/failures-of.js';

/**
 * Repeats what failed as the last lines of the run, after the reports of the teardown: a CI often
 * keeps only the end of its output.
 */
export class FailuresLast implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [
      ...modules.flatMap((module) =>
        failuresOf(module).flatMap((failure) =>
          linesOf(`${module.project.name} ${module.relativeModuleId}`, failure),
        ),
      ),
      ...unhandled.map((error) => `outside of a test: ${reasonOf([error])}`),
    ];
    if (failures.length === 0) return;
    const report = `\n Failed:\n${failures.map((line) => `  ${line}\n`).join('')}`;
    process.on('exit', () => process.stdout.write(report));
  }
}
