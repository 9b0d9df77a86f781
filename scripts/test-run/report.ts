import { availableParallelism } from 'node:os';
import { linesOf } from '../../test/support/runner/failures-of.js';
import type { FileOutcome } from './outcome.js';
import type { RingRow } from './ring-rows.js';
import { nameOf, type Verdict } from './verdict.js';

const slowestShown = 20;
const mostNames = 20;

export function tableOf(rows: readonly RingRow[]): string {
  const header = [
    'Ring',
    'Seconds',
    'Set-up',
    'Tests',
    'Files',
    'Tests',
    `Busy of ${availableParallelism()}`,
  ];
  const cells = rows.map((row) => [
    row.ring,
    row.wallSeconds.toFixed(1),
    ...(row.files === 0 ? ['', '', '', ''] : ofFiles(row)),
    row.coresBusy.toFixed(1),
  ]);
  const lines = [header, ...cells].map(
    ([ring = '', ...values]) => ` ${ring.padEnd(16)}${values.map((value) => value.padStart(10)).join('')}`,
  );
  return `\n${lines.join('\n')}\n`;
}

const ofFiles = ({ setUpSeconds, testSeconds, files, tests }: RingRow): readonly string[] => [
  setUpSeconds.toFixed(1),
  testSeconds.toFixed(1),
  String(files),
  String(tests),
];

/** The time of a file's preparations and tests together. */
export function slowestOf(files: readonly FileOutcome[]): readonly { name: string; seconds: number }[] {
  return files
    .map((file) => ({ name: nameOf(file), seconds: (file.setUpMs + file.testsMs) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, slowestShown);
}

export function slowestText(files: readonly FileOutcome[]): string {
  if (files.length <= slowestShown) return '';
  const lines = slowestOf(files).map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`);
  return `\n The ${slowestShown} slowest of ${files.length} files:\n${lines.join('\n')}\n`;
}

/** Each test that needed a second try, with both outcomes. */
export function secondTriesText({ secondTries }: Pick<Verdict, 'secondTries'>): string {
  if (secondTries.length === 0) return '';
  const lines = secondTries.flatMap(({ where, first, second }) => [
    ...first.flatMap((failure) => prefixed('first try failed: ', linesOf(where, failure))),
    second.length === 0 ? `  second try passed: ${where}` : `  second try failed: ${where}`,
  ]);
  return `\n Second tries, to be listed with cause and mend in docs/testing.md:\n${lines.join('\n')}\n`;
}

const prefixed = (prefix: string, [first = '', ...rest]: readonly string[]): readonly string[] => [
  `  ${prefix}${first}`,
  ...rest.map((line) => `  ${line}`),
];

export function failuresText({ files, problems }: Pick<Verdict, 'files' | 'problems'>): string {
  const lines = files.flatMap((file) => file.failures.flatMap((failure) => linesOf(nameOf(file), failure)));
  const all = [...lines, ...problems];
  return all.length === 0 ? '' : `\n Failed:\n${all.map((line) => `  ${line}\n`).join('')}`;
}

/** As vitest ends a run, for those who read only its closing lines. */
export function summaryText({ files, isGreen }: Pick<Verdict, 'files' | 'isGreen'>): string {
  const failedFiles = files.filter(({ failures }) => failures.length > 0).length;
  const count = (of: (file: FileOutcome) => number) => files.reduce((total, file) => total + of(file), 0);
  return [
    '',
    ` Test Files  ${counts([failedFiles, files.length - failedFiles, 0])}`,
    `      Tests  ${counts([count((file) => file.failures.length), count((file) => file.passed), count((file) => file.skipped)])}`,
    `     Result  ${isGreen ? 'passed' : 'failed'}`,
    ...failedNames(files),
    '',
  ].join('\n');
}

/** The last lines of all: what failed, for those to whom only the end of a long log is shown. */
function failedNames(files: readonly FileOutcome[]): readonly string[] {
  const names = files.flatMap((file) => file.failures.map(({ title }) => `${nameOf(file)} > ${title}`));
  const more = names.length > mostNames ? [`and ${names.length - mostNames} more`] : [];
  return [...names.slice(0, mostNames), ...more].map((name) => `     Failed  ${name}`);
}

function counts(values: readonly number[]): string {
  const names = ['failed', 'passed', 'skipped'];
  const parts = values.flatMap((value, index) => (value === 0 ? [] : [`${value} ${names[index]}`]));
  return `${parts.join(' | ') || 'none'} (${values.reduce((total, value) => total + value, 0)})`;
}
