export interface StatusEntry {
  readonly path: string;
  readonly status: string;
  readonly oldPath?: string;
}

export interface GitStatus {
  readonly staged: readonly StatusEntry[];
  readonly unstaged: readonly StatusEntry[];
  readonly untracked: readonly StatusEntry[];
}

/**
 * Reads `git status --porcelain=v1 -z`, at most `limit` records: after a rename or copy, the old
 * path is a record of its own. The text after the last NUL is empty or cut off.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function parseStatus(text: string, limit: number): GitStatus & { readonly truncated: boolean } {
  const staged: StatusEntry[] = [];
  const unstaged: StatusEntry[] = [];
  const untracked: StatusEntry[] = [];
  const records = recordsOf(text);
  let count = 0;
  for (const record of records) {
    count += 1;
    if (count > limit) break;
    const path = record.slice(3);
    const [inIndex = ' ', inTree = ' '] = record;
    if (inIndex === '?') {
      untracked.push({ path, status: '??' });
      continue;
    }
    const oldPath = /[RC]/.test(inIndex + inTree) ? records.next().value : undefined;
    const entry = (status: string) => ({
      path,
      status,
      ...(oldPath !== undefined && /[RC]/.test(status) ? { oldPath } : {}),
    });
    if (inIndex !== ' ') staged.push(entry(inIndex));
    if (inTree !== ' ') unstaged.push(entry(inTree));
  }
  return { staged, unstaged, untracked, truncated: count > limit };
}

/** One at a time: a hostile text has millions. */
function* recordsOf(text: string): Generator<string, undefined> {
  let from = 0;
  for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
}

export interface WorktreeRecord {
  readonly path: string;
  /** Null while no branch is checked out. */
  readonly branch: string | null;
  readonly headCommit: string;
  /** Its folder is gone. */
  readonly isPrunable: boolean;
}

/** Reads `git worktree list --porcelain`: blocks of lines, each a word and a value. */
export function parseWorktrees(text: string): WorktreeRecord[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('worktree '))
    .map((block) => {
      const value = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(block)?.[1];
      return {
        path: value('worktree') ?? '',
        branch: value('branch')?.replace(/^refs\/heads\//, '') ?? null,
        headCommit: (value('HEAD') ?? '').slice(0, 7),
        isPrunable: /^prunable/m.test(block),
      };
    });
}
