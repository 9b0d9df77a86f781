import type * as z from 'zod/mini';
import type { GitStatus } from '../../../protocol/workspace-files.js';

interface ChangedFile {
  readonly path: string;
  readonly additions: number;
  readonly deletions: number;
}

const header = /^diff --git a\/(?<path>.*) b\/\k<path>$/;
const renamed = /^rename to (?<path>.*)$/;

/** The changed files of a diff with their counts of lines, in its order. No line is kept. */
export function changedFiles(diff: string): readonly ChangedFile[] {
  return diff.split(/^(?=diff --git )/m).flatMap((part) => {
    const lines = part.split('\n');
    const [first = ''] = lines;
    if (!first.startsWith('diff --git ')) return [];
    const from = lines.findIndex((line) => line.startsWith('@@'));
    const changes = from < 0 ? [] : lines.slice(from);
    const count = (sign: string) => changes.filter((line) => line.startsWith(sign)).length;
    return [{ path: pathOf(lines), additions: count('+'), deletions: count('-') }];
  });
}

function pathOf(lines: readonly string[]): string {
  const [first = ''] = lines;
  const moved = lines.flatMap((line) => renamed.exec(line)?.groups?.path ?? [])[0];
  return moved ?? header.exec(first)?.groups?.path ?? first.slice('diff --git '.length);
}

/** Names in a result: more would fill the context of a model. */
const maxNames = 100;

/** The files with changes that are not committed. */
export function uncommitted({ staged, unstaged, untracked, truncated }: z.infer<typeof GitStatus>) {
  const paths = [...new Set([...staged, ...unstaged, ...untracked].map(({ path }) => path))];
  return {
    ...{ staged: staged.length, unstaged: unstaged.length, untracked: untracked.length },
    files: paths.slice(0, maxNames),
    truncated: truncated || paths.length > maxNames,
  };
}

/** The changes since a revision; `isCut` when the diff is longer. */
export function summaryOf(diff: string, isCut: boolean) {
  const files = changedFiles(diff);
  const sum = (of: 'additions' | 'deletions') => files.reduce((all, file) => all + file[of], 0);
  return {
    ...{ filesChanged: files.length, additions: sum('additions'), deletions: sum('deletions') },
    files: files.slice(0, maxNames),
    truncated: isCut || files.length > maxNames,
  };
}
