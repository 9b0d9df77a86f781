import type { Reporter, SerializedError, TestModule } from 'vitest/node';

const longestReason = 600;

/**
 * Repeats what failed as the last lines of the run, after the reports of the teardown: a CI often
 * keeps only the end of its output.
 */
export class FailuresLast implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [
      ...modules.flatMap(failuresOf),
      ...unhandled.map((error) => `outside of a test: ${reasonOf([error])}`),
    ];
    if (failures.length === 0) return;
    const report = `\n Failed:\n${failures.map((failure) => `  ${failure}\n`).join('')}`;
    process.on('exit', () => process.stdout.write(report));
  }
}

/** Of its tests, and of its hooks and imports. */
function failuresOf(module: TestModule): readonly string[] {
  const name = `${module.project.name} ${module.relativeModuleId}`;
  const tests = [...module.children.allTests('failed')].map(
    (test) => `${name} > ${test.fullName}: ${reasonOf(test.result().errors)}`,
  );
  const suites = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  return suites.length === 0 ? tests : [...tests, `${name}: ${reasonOf(suites)}`];
}

function reasonOf(errors: readonly SerializedError[] = []): string {
  return errors.map(({ message }) => message.slice(0, longestReason)).join('; ');
}
