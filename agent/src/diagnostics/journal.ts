import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { LogQuery } from '../../api/log-query.js';
import { spawn } from '../node/process-priority.js';
import type { LogLevel } from '../shared/log.js';
import { redactText } from '../shared/redact.js';
import { matchesQuery } from './log-page.js';
import type { LogEntry } from './log-ring.js';

/** This machine has no readable journal. */
export class NoJournal extends Error {
  override readonly name = 'NoJournal';
}

/** An entry with its cursor in the journal. */
export interface JournalEntry {
  readonly entry: LogEntry;
  readonly cursor: string;
}

export interface FollowedJournal {
  readonly cursor: string | null;
  readonly since: string;
  readonly signal: AbortSignal;
}

/**
 * Reads systemd's journal with `journalctl`. Excludes lines of this process, which are in the
 * agent's log.
 */
export class Journal {
  constructor(private readonly options: { readonly timeoutMs: number; readonly restartDelayMs: number }) {}

  /**
   * Returns the newest entries of a query, newest first, and stops reading when there are enough.
   * @throws NoJournal
   */

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch per input form
  async read(query: LogQuery, enough: number): Promise<JournalEntry[]> {
    const until = query.cursor?.split('/')[0] ?? query.until;
    const args = ['--reverse', ...(until ? ['--until', secondsOf(until, 'up')] : [])];
    if (query.since) args.push('--since', secondsOf(query.since, 'down'));
    const found: JournalEntry[] = [];
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    for await (const entry of entriesOf(args, signal)) {
      // journalctl's time limits are whole seconds.
      if (until && entry.entry.timestamp > until) continue;
      if (matchesQuery(entry.entry, query)) found.push(entry);
      if (found.length >= enough) return found;
    }
    if (signal.aborted) throw new Error('Reading the journal timed out');
    return found;
  }

  /**
   * Follows the journal after `cursor`, or from `since`; restarts a reader that ends where it
   * ended.
   */
  async follow(from: FollowedJournal, take: (entry: LogEntry) => void): Promise<void> {
    const { since, signal } = from;
    let place = from.cursor;
    while (!signal.aborted) {
      const start = place === null ? ['--since', secondsOf(since, 'down')] : ['--after-cursor', place];
      for await (const found of entriesOf(['--follow', '--lines', 'all', ...start], signal)) {
        place = found.cursor;
        take(found.entry);
      }
      await wait(this.options.restartDelayMs, undefined, { signal });
    }
  }
}

async function* entriesOf(args: readonly string[], signal: AbortSignal): AsyncGenerator<JournalEntry> {
  const child = spawn('journalctl', ['--output', 'json', '--no-pager', '--quiet', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  failed.catch(() => undefined);
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([failed, new Promise((resolve) => child.once('spawn', resolve))]);
    for await (const line of createInterface({ input: child.stdout })) {
      const entry = parse(line);
      if (entry) yield entry;
    }
  } catch (cause) {
    throw new NoJournal('journalctl cannot be run here', { cause });
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function parse(line: string): JournalEntry | null {
  try {
    // journalctl writes a field that is not UTF-8 as an array of bytes.
    const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const micros = Number(fields.__REALTIME_TIMESTAMP);
    if (!Number.isFinite(micros) || Number(fields._PID) === process.pid) return null;
    const unit = fields._SYSTEMD_UNIT ?? fields.SYSLOG_IDENTIFIER;
    const entry: LogEntry = {
      timestamp: new Date(Math.floor(micros / 1_000)).toISOString(),
      level: levelOf(Number(fields.PRIORITY ?? 6)),
      source: 'systemd',
      message: redactText(textOf(fields.MESSAGE)).slice(0, 4_096),
      ...(typeof unit === 'string' ? { metadata: { unit } } : {}),
    };
    return { entry, cursor: textOf(fields.__CURSOR) };
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? Buffer.from(value.map(Number)).toString() : String(value ?? '');
}

/** From syslog priorities. */
function levelOf(priority: number): LogLevel {
  if (priority <= 3) return 'error';
  if (priority === 4) return 'warn';
  return priority >= 7 ? 'debug' : 'info';
}

/** Every version of journalctl reads whole seconds; the exact limit is applied to the entries. */
function secondsOf(time: string, direction: 'up' | 'down'): string {
  const seconds = Date.parse(time) / 1_000;
  return `@${direction === 'up' ? Math.ceil(seconds) + 1 : Math.floor(seconds)}`;
}
