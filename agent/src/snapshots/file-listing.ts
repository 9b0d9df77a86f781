import { createHash } from 'node:crypto';
import { AgentError } from '../errors.js';
import type { FoundEntry } from './snapshot-budget.js';
import type { ShellScript, WorkspaceShell } from './workspace-shell.js';

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
export async function listFiles(shell: WorkspaceShell, script: ShellScript): Promise<ListedFile[]> {
  return parseFiles(await shell.read(script));
}

/** @throws AgentError when a file was deleted while it was listed */
export function parseFiles(printed: Buffer): ListedFile[] {
  const files = pairsIn(printed.toString()).flatMap(([names, described]) => pair(names, described));
  return [...new Map(files.map((file) => [file.path, file])).values()];
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
  return paths.map((path, index) => ({ path: path.replace(/^\.\//, ''), ...parseLine(lines[index] ?? '') }));
}

function parseLine(line: string): Omit<ListedFile, 'path'> {
  const [mode = '', size = '', ...times] = line.split(' ');
  return { mode: Number.parseInt(mode, 16), sizeBytes: Number(size), times: times.join(' ') };
}

/** Equal when nothing changed between two listings. */
export const hashOfListing = (listing: unknown): string =>
  createHash('sha256').update(JSON.stringify(listing)).digest('hex');
