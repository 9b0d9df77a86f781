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

/** Reads `git status --porcelain=v1 -z`: after a rename or copy, the old path is a record of its own. */
export function parseStatus(text: string): GitStatus {
  const staged: StatusEntry[] = [];
  const unstaged: StatusEntry[] = [];
  const untracked: StatusEntry[] = [];
  const records = text.split('\0');
  // What follows the last NUL is nothing, or was cut off.
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
