import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';

export const JournalEntry = z.object({
  event: z.enum([
    'process',
    'initialize',
    'new',
    'load',
    'prompt',
    'end',
    'ask',
    'decision',
    'cancel',
    'close',
    'mode',
    'option',
    'fail',
    'child',
  ]),
  pid: z.int(),
  /** Epoch milliseconds. */
  at: z.int(),
  sessionId: z.optional(z.string()),
  text: z.optional(z.string()),
  data: z.optional(z.unknown()),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** Appends one line and syncs it: the process may end at any later point. */
export function record(path: string, entry: Omit<JournalEntry, 'pid' | 'at'>): void {
  const file = openSync(path, 'a');
  try {
    writeSync(file, `${JSON.stringify({ ...entry, pid: process.pid, at: Date.now() })}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** All whole lines; none when the file does not exist. */
export function readJournal(path: string): JournalEntry[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JournalEntry.parse(JSON.parse(line)));
}
