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
/** Of all of them together: one path can have 4,096. */
const maxCharacters = 16_000;

/** The first files whose paths fit into a result, and whether these are not all. */
function bounded<File>(files: readonly File[], pathOf: (file: File) => string) {
  let left = maxCharacters;
  const fitting = files.slice(0, maxNames);
  const end = fitting.findIndex((file) => {
    left -= pathOf(file).length;
    return left < 0;
  });
  const shown = end < 0 ? fitting : fitting.slice(0, end);
  return { files: shown, isCut: shown.length < files.length };
}

/** The files with changes that are not committed. */
export function uncommitted({ staged, unstaged, untracked, truncated }: z.infer<typeof GitStatus>) {
  const paths = [...new Set([...staged, ...unstaged, ...untracked].map(({ path }) => path))];
  const { files, isCut } = bounded(paths, (path) => path);
  return {
    ...{ staged: staged.length, unstaged: unstaged.length, untracked: untracked.length },
    ...{ files, truncated: truncated || isCut },
  };
}

/** The changes since a revision; `isPart` when the diff is longer. */
export function summaryOf(diff: string, isPart: boolean) {
  const changed = changedFiles(diff);
  const sum = (of: 'additions' | 'deletions') => changed.reduce((all, file) => all + file[of], 0);
  const { files, isCut } = bounded(changed, ({ path }) => path);
  return {
    ...{ filesChanged: changed.length, additions: sum('additions'), deletions: sum('deletions') },
    ...{ files, truncated: isPart || isCut },
  };
}
