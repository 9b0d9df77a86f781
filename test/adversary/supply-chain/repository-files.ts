import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
export const jsonOf = (path: string): unknown => JSON.parse(textOf(path));

/** The files below these folders that git knows, links and images left out. */
export function filesBelow(...folders: readonly string[]): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && !/\.(png|svg|snap)$/.test(path));
}
