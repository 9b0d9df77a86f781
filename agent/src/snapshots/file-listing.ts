import { createHash } from 'node:crypto';
import { AgentError } from '../errors.js';
import type { FoundEntry } from './snapshot-budget.js';
import type { ListScript, WorkspaceShell } from './workspace-shell.js';

/** A file as a listing shows it. */
export interface ListedFile extends FoundEntry {
  /** Times of content and of attributes, so that a change of the same size is seen. */
  readonly times: string;
}

/**
 * Reads names, each ended with NUL. Prints pairs of texts, each ended with two NUL: names, with NUL
 * between them, and as many lines with type and permissions, size and times.
 */
export const describeFiles = `{
if stat -c %n / >/dev/null 2>&1; then format='-c%f %s %y %z'; else format='-f%Xp %z %Fm %Fc'; fi
xargs -0 sh -c '
[ $# -gt 0 ] || exit 0
printf "%s\\0" "$@"
printf "\\0"
stat "$0" -- "$@" 2>/dev/null
printf "\\0\\0"' "$format"
}`;

/** The files that a script prints by `describeFiles`. @throws AgentError when one was deleted */
export async function listFiles(shell: WorkspaceShell, script: ListScript): Promise<ListedFile[]> {
  return parseFiles(await shell.read(script));
}

/** @throws AgentError when a file was deleted while it was listed */
export function parseFiles(printed: Buffer): ListedFile[] {
  const files = new Map<string, ListedFile>();
  for (const [names, described] of pairsIn(printed.toString()))
    for (const file of pair(names, described)) files.set(file.path, file);
  return [...files.values()];
}

/** The names alone, each byte a character: a name is not always text. */
export const namesIn = (printed: Buffer): string[] =>
  pairsIn(printed.toString('latin1')).flatMap(([names]) => names.split('\0'));

function pairsIn(printed: string): (readonly [names: string, described: string])[] {
  const texts = printed.split('\0\0');
  return texts.flatMap((names, index) =>
    names === '' || index % 2 === 1 ? [] : [[names, texts[index + 1] ?? ''] as const],
  );
}

function pair(names: string, described: string): ListedFile[] {
  const paths = names.split('\0');
  const lines = described.split('\n').filter(Boolean);
  if (lines.length !== paths.length)
    throw new AgentError('changed_since_snapshot', 'Files changed while they were listed');
  return paths.map((path, index) => parseFile(path, lines[index] ?? ''));
}

/** A listing has up to 100,000 lines, so they are not split into all their words. */
function parseFile(name: string, line: string): ListedFile {
  const size = line.indexOf(' ') + 1;
  const times = line.indexOf(' ', size) + 1;
  return {
    path: name.startsWith('./') ? name.slice(2) : name,
    mode: Number.parseInt(line, 16),
    sizeBytes: Number(line.slice(size, times)),
    times: line.slice(times),
  };
}

/** Equal when nothing changed between two listings. */
export const hashOfListing = (listing: unknown): string =>
  createHash('sha256').update(JSON.stringify(listing)).digest('hex');
