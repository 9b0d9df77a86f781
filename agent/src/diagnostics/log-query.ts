import * as z from 'zod/mini';
import { logLevels } from '../shared/log.js';
import type { LogEntry } from './log-ring.js';

export const logSources = ['all', 'agent', 'cloud-init', 'docker', 'systemd'] as const;

export interface LogLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

const time = z.pipe(
  z.string().check(
    z.maxLength(64),
    z.refine((text) => timeOf(text) !== null, 'must be a time such as 2026-01-31T12:00:00Z or -15m'),
  ),
  z.transform((text) => timeOf(text) ?? ''),
);

/** Query of a page of log entries. */
export function logQuery({ defaultLimit, maxLimit }: LogLimits) {
  return z.object({
    source: z._default(z.enum(logSources), 'all'),
    level: z._default(z.enum(logLevels), 'info'),
    container: z.optional(z.string().check(z.regex(/^[\w.-]{1,128}$/))),
    since: z.optional(time),
    until: z.optional(time),
    search: z.optional(z.string().check(z.maxLength(1_000))),
    cursor: z.optional(z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\/\d{1,6}$/))),
    limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(maxLimit)), defaultLimit),
  });
}
export type LogQuery = z.infer<ReturnType<typeof logQuery>>;

export interface LogPage {
  readonly entries: readonly LogEntry[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
  /** Sources that were asked for and are not here, each with the reason. */
  readonly unavailable: readonly { readonly source: string; readonly reason: string }[];
}

/** What of these entries, each source's oldest first, is asked for; newest first. The cursor is a time and how many entries of it were told. */
export function logPage(all: readonly LogEntry[], query: LogQuery): Omit<LogPage, 'unavailable'> {
  const [cursorTime, told] = query.cursor?.split('/') ?? [];
  const matching = all
    .filter((entry) => matchesQuery(entry, query) && (!cursorTime || entry.timestamp <= cursorTime))
    .reverse()
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
    .slice(Number(told ?? 0));
  const entries = matching.slice(0, query.limit);
  const hasMore = matching.length > entries.length;
  const last = entries.at(-1)?.timestamp;
  if (!hasMore || !last) return { entries, nextCursor: null, hasMore: false };
  const same = entries.filter(({ timestamp }) => timestamp === last).length;
  const before = last === cursorTime ? Number(told) : 0;
  return { entries, nextCursor: `${last}/${same + before}`, hasMore };
}

/** Whether an entry is what is asked for, its cursor aside. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
export function matchesQuery(entry: LogEntry, query: LogQuery): boolean {
  const { level, container, since, until, search } = query;
  if (logLevels.indexOf(entry.level) < logLevels.indexOf(level)) return false;
  if (container && entry.source !== `docker:${container}`) return false;
  if ((since && entry.timestamp < since) || (until && entry.timestamp > until)) return false;
  return !search || `${entry.message} ${JSON.stringify(entry.metadata ?? '')}`.includes(search);
}

/** As the entries write it; null when it is no time. */
function timeOf(text: string): string | null {
  const ago = /^-(\d{1,7})([smhd])$/.exec(text);
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[ago?.[2] ?? ''] ?? 0;
  const at = ago ? Date.now() - Number(ago[1]) * seconds * 1_000 : Date.parse(text);
  return Number.isNaN(at) || Math.abs(at) > 8e15 ? null : new Date(at).toISOString();
}
