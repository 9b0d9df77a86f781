// Prints the table of a whole `.ci/run`, of what its parts recorded, and closes with its result.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FileOutcome, readOutcome } from './outcome.js';
import { readSpans } from './read-spans.js';
import { failuresText, secondTriesText, slowestText, summaryText, tableOf } from './report.js';
import { ringRows } from './ring-rows.js';
import { SecondTry } from './verdict.js';

const folder = process.env.BERTH_TEST_RUN ?? '';
const filesOf = (name: string) => readOutcome(join(folder, `${name}.json`))?.files ?? [];
const onDynamodbLocal = filesOf('dynamodb-local');
const timed = [...filesOf('first-try'), ...onDynamodbLocal];
const rows = ringRows(readSpans(folder), timed);
writeFileSync(join(folder, 'table.json'), JSON.stringify(rows, null, 1));
process.stdout.write(`${tableOf(rows)}${slowestText(timed)}${closing()}`);

/** Nothing when the run ended before its tests did. */
function closing(): string {
  const path = join(folder, 'report.json');
  if (!existsSync(path)) return '';
  const Report = z.object({
    isGreen: z.boolean(),
    files: z.array(FileOutcome),
    problems: z.array(z.string()),
    secondTries: z.array(SecondTry),
  });
  const report = Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  const whole = {
    files: [...report.files, ...onDynamodbLocal],
    problems: report.problems,
    isGreen: report.isGreen && onDynamodbLocal.every(({ failures }) => failures.length === 0),
  };
  return secondTriesText(report) + failuresText(whole) + summaryText(whole);
}
