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
