import type { AnswerOf } from '../../../client/berth-client.js';
import { type ChangeKind, type DiffSection, sectionsOf } from './unified-diff.js';

export type GitStatus = AnswerOf<'GET /api/projects/{projectId}/sessions/{sessionId}/git/status'>;
export interface GitDiff {
  readonly diff: string;
  readonly truncated: boolean;
}

/** One file that changed. */
export interface Change {
  readonly key: string;
  readonly path: string;
  readonly oldPath: string | null;
  readonly kind: ChangeKind | 'untracked';
  readonly isStaged: boolean;
  /** Null: its diff is read when it is shown. */
  readonly section: DiffSection | null;
}

/** What is not committed: the working tree, and what is staged. */
export function uncommittedChanges(status: GitStatus, working: GitDiff, staged: GitDiff): readonly Change[] {
  return inOrder([
    ...ofDiff(staged, true),
    ...ofDiff(working, false),
    ...missing(status.staged, staged, true),
    ...missing(status.unstaged, working, false),
    ...untracked(status),
  ]);
}

/** What the branch and its working tree have that the base lacks. */
export const branchChanges = (status: GitStatus, diff: GitDiff): readonly Change[] =>
  inOrder([
    ...sectionsOf(diff.diff).map((section) => ofSection(section, false)),
    // The diff of a branch leaves them out.
    ...untracked(status),
  ]);

/** Of a diff that was cut off, the last file is read again by itself. */
const ofDiff = ({ diff, truncated }: GitDiff, isStaged: boolean): readonly Change[] =>
  sectionsOf(diff)
    .slice(0, truncated ? -1 : undefined)
    .map((section) => ofSection(section, isStaged));

function ofSection(section: DiffSection, isStaged: boolean): Change {
  const { path, oldPath, kind } = section;
  return { key: keyOf(path, isStaged), path, oldPath, kind, isStaged, section };
}

const kinds: Readonly<Record<string, ChangeKind>> = { A: 'added', D: 'deleted', R: 'renamed', C: 'added' };

/** Files that are beyond the end of a diff that was cut off. */
function missing(entries: GitStatus['staged'], diff: GitDiff, isStaged: boolean): readonly Change[] {
  if (!diff.truncated) return [];
  const known = new Set(ofDiff(diff, isStaged).map(({ path }) => path));
  return entries
    .filter(({ path }) => !known.has(path))
    .map(({ path, status, oldPath = null }) => ({
      ...{ key: keyOf(path, isStaged), path, oldPath, isStaged, section: null },
      kind: kinds[status] ?? 'modified',
    }));
}

const untracked = (status: GitStatus): readonly Change[] =>
  status.untracked.map(({ path }) => ({
    ...{ key: keyOf(path, false), path, oldPath: null, kind: 'untracked' as const },
    ...{ isStaged: false, section: null },
  }));

const keyOf = (path: string, isStaged: boolean): string => `${isStaged ? 'staged' : 'tree'}:${path}`;

const inOrder = (changes: readonly Change[]): readonly Change[] =>
  [...changes].sort((one, other) => one.path.localeCompare(other.path));
