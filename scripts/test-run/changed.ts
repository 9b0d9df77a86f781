import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changedTable } from './changed-table.js';

/** Nothing can be left out when one of these changes. */
const concernsAll = /^(?:package(?:-lock)?\.json|vitest\.config\.ts|tsconfig\.json)$/;

const list = (root: string, ...args: readonly string[]): readonly string[] =>
  execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '');

/** Files that differ from the commit, also those that git does not know yet. */
export function changedFiles(root: string, commit: string): readonly string[] {
  const known = list(root, 'diff', '--name-only', '--no-renames', commit);
  return [...new Set([...known, ...list(root, 'ls-files', '--others', '--exclude-standard')])];
}

/** Tests of the table that depend on these files. */
export function testsByTable(changed: readonly string[], files: readonly string[]): readonly string[] {
  const paths = changedTable
    .filter(([sources]) => changed.some((file) => sources.test(file)))
    .flatMap(([, tests]) => tests);
  const tests = files.filter(
    (file) => file.endsWith('.test.ts') && paths.some((path) => file.startsWith(path)),
  );
  return [...new Set(tests)];
}

/** The arguments of vitest that run the tests of what changed, or nothing when nothing did. */
export function argsOfChanged(root: string, commit: string): readonly string[] | undefined {
  const changed = changedFiles(root, commit);
  if (changed.length === 0) return undefined;
  if (changed.some((file) => concernsAll.test(file))) return ['run'];
  const sources = changed.filter((file) => /\.(?:tsx?|mjs|json)$/.test(file) && existsSync(join(root, file)));
  return ['related', '--run', ...new Set([...sources, ...testsByTable(changed, list(root, 'ls-files'))])];
}
