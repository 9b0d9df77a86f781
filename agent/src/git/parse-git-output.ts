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
 * Reads `git status --porcelain=v1 -z`: after a rename or copy, the old path is a record of its
 * own.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function parseStatus(text: string): GitStatus {
  const staged: StatusEntry[] = [];
  const unstaged: StatusEntry[] = [];
  const untracked: StatusEntry[] = [];
  const records = text.split('\0');
  // The text after the last NUL is empty or cut off.
  records.pop();
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] ?? '';
    const path = record.slice(3);
    const [inIndex = ' ', inTree = ' '] = record;
    if (inIndex === '?') {
      untracked.push({ path, status: '??' });
      continue;
    }
    const oldPath = /[RC]/.test(inIndex + inTree) ? records[index + 1] : undefined;
    if (oldPath !== undefined) index += 1;
    const entry = (status: string) => ({
      path,
      status,
      ...(oldPath !== undefined && /[RC]/.test(status) ? { oldPath } : {}),
    });
    if (inIndex !== ' ') staged.push(entry(inIndex));
    if (inTree !== ' ') unstaged.push(entry(inTree));
  }
  return { staged, unstaged, untracked };
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
