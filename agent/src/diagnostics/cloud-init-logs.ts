import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LogLevel } from '../shared/log.js';
import { redactText } from '../shared/redact.js';
import type { LogEntry } from './log-ring.js';

const readBytes = 2 * 1_024 * 1_024;
const levels: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'error',
};

/** The end of cloud-init's logs, oldest first; null without such logs. */
export async function cloudInitLogs(folder: string): Promise<LogEntry[] | null> {
  const sources = ['cloud-init', 'cloud-init-output'];
  const read = await Promise.all(sources.map((source) => entriesOf(join(folder, `${source}.log`), source)));
  return read.every((entries) => entries === null) ? null : read.flatMap((entries) => entries ?? []);
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per input form
async function entriesOf(path: string, source: string): Promise<LogEntry[] | null> {
  const file = await open(path).catch(() => null);
  if (!file) return null;
  await using opened = file;
  const { size, mtime } = await opened.stat();
  const input = opened.createReadStream({ start: Math.max(0, size - readBytes), autoClose: false });
  const entries: LogEntry[] = [];
  // A line without a time gets that of the line before it, or of the file.
  let timestamp = mtime.toISOString();
  for await (const line of createInterface({ input })) {
    const [, time, level = '', rest] =
      /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[,.\d]* - \S+\[(\w+)\]: (.*)$/.exec(line) ?? [];
    if (time !== undefined) timestamp = `${time.replace(' ', 'T')}.000Z`;
    const message = redactText(rest ?? line).slice(0, 4_096);
    if (message) entries.push({ timestamp, level: levels[level] ?? 'info', source, message });
  }
  return entries;
}
