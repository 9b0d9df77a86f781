import { unquoted } from './git-path.js';

export type ChangeKind = 'added' | 'deleted' | 'renamed' | 'modified';

/** What a diff says of one file. Its lines are read when they are shown. */
export interface DiffSection {
  readonly path: string;
  readonly oldPath: string | null;
  readonly kind: ChangeKind;
  readonly isBinary: boolean;
  readonly added: number;
  readonly removed: number;
  /** The hunks, as git prints them. */
  readonly body: string;
}

export interface DiffLine {
  /** Its place in the diff. */
  readonly row: number;
  readonly kind: 'context' | 'added' | 'removed' | 'hunk' | 'note';
  readonly text: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

const begin = 'diff --git ';

/** The files of a diff. A line of content never begins as the head of a file does. */
export function sectionsOf(diff: string): readonly DiffSection[] {
  const sections: DiffSection[] = [];
  let at = diff.startsWith(begin) ? 0 : diff.indexOf(`\n${begin}`) + 1;
  if (at === 0 && !diff.startsWith(begin)) return sections;
  while (at < diff.length) {
    const next = diff.indexOf(`\n${begin}`, at);
    const end = next < 0 ? diff.length : next + 1;
    sections.push(sectionOf(diff.slice(at, end)));
    at = end;
  }
  return sections;
}

function sectionOf(text: string): DiffSection {
  const first = text.startsWith('@@') ? 0 : text.indexOf('\n@@') + 1;
  const head = first > 0 ? text.slice(0, first) : text;
  const body = first > 0 ? text.slice(first) : '';
  const [oldPath, path] = pathsOf(head);
  return {
    path,
    oldPath: oldPath === path ? null : oldPath,
    kind: kindOf(head),
    isBinary: /^(?:Binary files |GIT binary patch)/m.test(head),
    added: count(body, '\n+'),
    removed: count(body, '\n-'),
    body,
  };
}

function kindOf(head: string): ChangeKind {
  if (/^new file mode/m.test(head)) return 'added';
  if (/^deleted file mode/m.test(head)) return 'deleted';
  return /^rename from /m.test(head) ? 'renamed' : 'modified';
}

/** The old and the new name. */
function pathsOf(head: string): readonly [string, string] {
  const line = (start: string): string | undefined => {
    const found = head.indexOf(`\n${start}`);
    if (found < 0) return undefined;
    const from = found + 1 + start.length;
    const end = head.indexOf('\n', from);
    // A name with spaces is followed by a tab.
    return unquoted(head.slice(from, end < 0 ? undefined : end).replace(/\t$/, ''));
  };
  const named = (start: string, side: string) => {
    const name = line(start);
    return name?.startsWith(side) ? name.slice(side.length) : undefined;
  };
  const after = line('rename to ') ?? named('+++ ', 'b/');
  const before = line('rename from ') ?? named('--- ', 'a/');
  const both = namesOfFirstLine(head.slice(begin.length).split('\n', 1)[0] ?? '');
  return [before ?? after ?? both, after ?? before ?? both];
}

/** Without other lines both names are the same: `a/x y b/x y`. */
function namesOfFirstLine(names: string): string {
  const half = names.slice((names.length + 1) / 2);
  return unquoted(half).replace(/^b\//, '');
}

function count(text: string, mark: string): number {
  let found = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) found += 1;
  return found;
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'context' };

/** At most so many lines from the beginning, and whether there are more. */
export function linesOf(
  body: string,
  most: number,
): { readonly lines: DiffLine[]; readonly hasMore: boolean } {
  const lines: DiffLine[] = [];
  const next = { oldLine: 0, newLine: 0 };
  let at = 0;
  while (at < body.length && lines.length < most) {
    const found = body.indexOf('\n', at);
    const end = found < 0 ? body.length : found;
    lines.push({ row: lines.length, ...lineOf(body.slice(at, end), next) });
    at = end + 1;
  }
  return { lines, hasMore: at < body.length };
}

/** Counts on. */
function lineOf(line: string, next: { oldLine: number; newLine: number }): Omit<DiffLine, 'row'> {
  const [, oldStart, newStart] = /^@@+ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
  if (oldStart !== undefined) {
    Object.assign(next, { oldLine: Number(oldStart), newLine: Number(newStart) });
    return { kind: 'hunk', text: line, oldLine: null, newLine: null };
  }
  const text = line.slice(1);
  switch (kinds[line[0] ?? ' ']) {
    case 'added':
      return { kind: 'added', text, oldLine: null, newLine: next.newLine++ };
    case 'removed':
      return { kind: 'removed', text, oldLine: next.oldLine++, newLine: null };
    case 'context':
      return { kind: 'context', text, oldLine: next.oldLine++, newLine: next.newLine++ };
    default:
      return { kind: 'note', text: line, oldLine: null, newLine: null };
  }
}

export type SplitRow = readonly [DiffLine | null, DiffLine | null];

/** Lines that were removed beside those that took their place. */
export function sideBySide(lines: readonly DiffLine[]): readonly SplitRow[] {
  const rows: SplitRow[] = [];
  let [removed, added]: [DiffLine[], DiffLine[]] = [[], []];
  const flush = () => {
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      rows.push([removed[row] ?? null, added[row] ?? null]);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push([line, line]);
    }
  }
  flush();
  return rows;
}
