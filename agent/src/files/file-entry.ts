export type FileKind = 'file' | 'dir' | 'symlink' | 'other';

export interface FileEntry {
  readonly name: string;
  readonly type: FileKind;
  readonly size: number;
  readonly modifiedAt: string;
}

const kindMask = 0o170000;
const kinds: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'dir'],
  [0o120000, 'symlink'],
]);

export function kindOfMode(hexMode: string): FileKind {
  return kinds.get(Number.parseInt(hexMode, 16) & kindMask) ?? 'other';
}

/** Reads the lines of the list script; folders first, then by name. A line cut off at the end is left out. */
export function parseEntries(text: string): FileEntry[] {
  const entries: FileEntry[] = [];
  const record = /^([0-9a-fA-F]+) (\d+) (-?\d+) \.\/([^/]*)\n(?=[0-9a-fA-F]+ \d+ -?\d+ \.\/|$(?![\s\S]))/gm;
  for (const [, mode = '', size, modified, name = ''] of text.matchAll(record)) {
    const modifiedAt = new Date(Number(modified) * 1_000).toISOString();
    entries.push({ name, type: kindOfMode(mode), size: Number(size), modifiedAt });
  }
  return entries.sort(byKindAndName);
}

function byKindAndName(one: FileEntry, other: FileEntry): number {
  const folders = Number(other.type === 'dir') - Number(one.type === 'dir');
  if (folders !== 0) return folders;
  return one.name < other.name ? -1 : 1;
}
