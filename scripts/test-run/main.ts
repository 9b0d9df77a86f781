// Runs vitest, tries failed tests of slow rings once more, and reports where the time went.
//   tsx scripts/test-run/main.ts [--without-build] [--changed [commit]] [arguments of vitest run]
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { useWaitFactor } from '../../test/support/runner/wait-factor.js';
import { root, run } from '../run.mjs';
import { argsOfChanged } from './changed.js';
import { type FileOutcome, readOutcome } from './outcome.js';
import { readSpans } from './read-spans.js';
import { failuresText, secondTriesText, slowestOf, slowestText, summaryText, tableOf } from './report.js';
import { ringRows } from './ring-rows.js';
import { newRunFolder } from './run-folder.js';
import { type Plan, planSecondTry } from './second-try.js';
import { recordSpan } from './spans.mjs';
import { type Try, type Verdict, verdictOf } from './verdict.js';

const withoutBuild = '--without-build';
const args = firstArgs(process.argv.slice(2).filter((arg) => arg !== withoutBuild));
process.env.BERTH_TEST_RUN ||= newRunFolder(root);
const waitFactor = useWaitFactor();
const folder = process.env.BERTH_TEST_RUN;

if (args === undefined) console.log('No file has changed, so no test runs.');
else process.exitCode = (await build()) || (await test(args));

/** `--changed` has a commit after it, or means what is not committed yet. */
function firstArgs(given: readonly string[]): readonly string[] | undefined {
  const at = given.indexOf('--changed');
  if (at === -1) return ['run', ...given];
  const next = given[at + 1];
  const commit = next === undefined || next.startsWith('-') ? undefined : next;
  const rest = given.toSpliced(at, commit === undefined ? 1 : 2);
  const chosen = argsOfChanged(root, commit ?? 'HEAD');
  return chosen && [...chosen, ...rest];
}

async function build(): Promise<number> {
  if (process.argv.includes(withoutBuild)) return 0;
  console.log('  Building');
  return recordSpan({ ring: 'build', part: 'whole' }, () => run('tsx', ['scripts/build.ts']));
}

async function test(firstTry: readonly string[]): Promise<number> {
  const first = await vitest('first', firstTry);
  const plan: Plan = first.outcome ? planSecondTry(first.outcome, root) : { files: [] };
  const second = plan.files.length === 0 ? undefined : await tryAgain(plan, configOf(firstTry));
  const verdict = verdictOf(first, plan, second);
  report(first.outcome?.files ?? [], verdict);
  return verdict.isGreen ? 0 : 1;
}

async function tryAgain({ files }: Plan, config: readonly string[]): Promise<Try> {
  const paths = [...new Set(files.map(({ file }) => file))];
  console.log(`\n Second try, one file at a time: ${paths.join(', ')}`);
  const projects = [...new Set(files.map(({ ring }) => ring))].flatMap((ring) => ['--project', ring]);
  return recordSpan({ ring: 'second try', part: 'whole' }, () =>
    vitest('second', ['run', ...config, ...projects, '--no-file-parallelism', ...paths]),
  );
}

async function vitest(name: string, more: readonly string[]): Promise<Try> {
  const path = join(folder, `${name}-try.json`);
  const env = { ...process.env, BERTH_TEST_OUTCOME: path, BERTH_TEST_TRY: name };
  const code = await run('vitest', more, env);
  return { code, outcome: readOutcome(path) };
}

function configOf(given: readonly string[]): readonly string[] {
  const at = given.indexOf('--config');
  return at === -1 ? [] : given.slice(at, at + 2);
}

/** The times are those of the first try; a second try is a row of its own. */
function report(tried: readonly FileOutcome[], verdict: Verdict): void {
  const rows = ringRows(readSpans(folder), tried);
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify({ waitFactor, rows, slowest: slowestOf(tried), ...verdict }, null, 1));
  process.stdout.write(
    [
      tableOf(rows),
      slowestText(tried),
      `\n As JSON: ${relative(root, path)}\n`,
      secondTriesText(verdict),
      failuresText(verdict),
      summaryText(verdict),
    ].join(''),
  );
}
