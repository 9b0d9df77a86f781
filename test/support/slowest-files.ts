import type { Reporter, TestModule } from 'vitest/node';

const shown = 20;

/**
 * Prints the slowest test files at the end of a run of many, with their share of the time of all
 * files.
 */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const timed = modules
      .map((module) => ({
        file: `${module.project.name} ${module.relativeModuleId}`,
        seconds: secondsOf(module),
      }))
      .toSorted((a, b) => b.seconds - a.seconds);
    const slowest = timed.slice(0, shown);
    const lines = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`);
    console.log(
      `\n The ${shown} slowest of ${timed.length} files took ${sum(slowest)} of ${sum(timed)} s:\n${lines.join('\n')}\n`,
    );
  }
}

/** Hooks and tests of the file, without its imports. */
function secondsOf(module: TestModule): number {
  return module.diagnostic().duration / 1_000;
}

function sum(files: readonly { readonly seconds: number }[]): string {
  return files.reduce((total, { seconds }) => total + seconds, 0).toFixed(0);
}
