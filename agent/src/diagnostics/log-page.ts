import type { LogQuery } from '../../api/log-query.js';
import { logLevels } from '../shared/log.js';
import type { LogEntry } from './log-ring.js';

export interface LogPage {
  readonly entries: readonly LogEntry[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
  /** Requested sources that this node cannot read, each with the reason. */
  readonly unavailable: readonly { readonly source: string; readonly reason: string }[];
}

/**
 * Selects the entries of a query, newest first, from entries that are sorted oldest first within
 * each source. The cursor is a time and the number of entries of that time on earlier pages.
 */
export function logPage(all: readonly LogEntry[], query: LogQuery): Omit<LogPage, 'unavailable'> {
  const [cursorTime, seen] = query.cursor?.split('/') ?? [];
  const matching = all
    .filter((entry) => matchesQuery(entry, query) && (!cursorTime || entry.timestamp <= cursorTime))
    .reverse()
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
    .slice(Number(seen ?? 0));
  const entries = matching.slice(0, query.limit);
  const hasMore = matching.length > entries.length;
  const last = entries.at(-1)?.timestamp;
  if (!hasMore || !last) return { entries, nextCursor: null, hasMore: false };
  const same = entries.filter(({ timestamp }) => timestamp === last).length;
  const before = last === cursorTime ? Number(seen) : 0;
  return { entries, nextCursor: `${last}/${same + before}`, hasMore };
}

/** Whether an entry matches a query, apart from its cursor. */
export function matchesQuery(entry: LogEntry, query: LogQuery): boolean {
  const { level, container, since, until, search } = query;
  if (logLevels.indexOf(entry.level) < logLevels.indexOf(level)) return false;
  if (container && entry.source !== `docker:${container}`) return false;
  if (!isBetween(entry.timestamp, since, until)) return false;
  return !search || `${entry.message} ${JSON.stringify(entry.metadata ?? '')}`.includes(search);
}

function isBetween(time: string, since: string | undefined, until: string | undefined): boolean {
  return (!since || time >= since) && (!until || time <= until);
}
