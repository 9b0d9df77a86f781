import type { LogQuery } from '../../api/log-query.js';
import { cloudInitLogs } from './cloud-init-logs.js';
import type { ContainerFollower } from './container-follower.js';
import type { ContainerLine } from './container-log-lines.js';
import type { Journal, JournalEntry } from './journal.js';
import { type LogPage, logPage, matchesQuery } from './log-page.js';
import type { LogEntry, LogRing } from './log-ring.js';
import type { NodeContainers } from './node-containers.js';

type Source = Exclude<LogQuery['source'], 'all'>;

export interface NodeLogDeps {
  readonly ring: LogRing;
  readonly containers: NodeContainers;
  readonly follower: ContainerFollower;
  readonly journal: Journal;
  readonly cloudInitFolder: string;
}

/** Entries of all sources, with the positions from which to follow them. */
interface ReadLogs {
  readonly entries: readonly LogEntry[];
  readonly containerLines: readonly ContainerLine[];
  readonly journalCursor: string | null;
  readonly unavailable: LogPage['unavailable'];
}

/** All logs of this node as one. The result names the sources that cannot be read. */
export class NodeLogs {
  constructor(private readonly deps: NodeLogDeps) {}

  async page(query: LogQuery): Promise<LogPage> {
    const { entries, unavailable } = await this.read(query);
    return { ...logPage(entries, query), unavailable };
  }

  /**
   * Passes on the newest `catchUp` entries, oldest first, then new entries without a gap, until the
   * signal.
   */
  async follow(
    query: LogQuery,
    { catchUp, signal }: { readonly catchUp: number; readonly signal: AbortSignal },
    take: (entry: LogEntry) => void,
  ): Promise<LogPage['unavailable']> {
    const since = new Date().toISOString();
    const pending: LogEntry[] = [];
    let receive = (entry: LogEntry): void => {
      pending.push(entry);
    };
    const receiveMatching = (entry: LogEntry) => {
      if (matchesQuery(entry, query)) receive(entry);
    };
    // Reads the ring synchronously, before a new entry can be added.
    const reading = this.read({ ...query, limit: Math.max(1, catchUp) });
    if (includesSource(query, 'agent')) this.deps.ring.follow(receiveMatching, signal);
    const found = await reading;
    const { entries } = logPage(found.entries, { ...query, limit: Math.max(1, catchUp) });
    for (const entry of entries.slice(0, catchUp).reverse()) take(entry);
    for (const entry of pending) take(entry);
    receive = take;
    if (includesSource(query, 'docker'))
      this.deps.follower.follow({ since, lines: found.containerLines, signal }, receiveMatching);
    if (includesSource(query, 'systemd') && !found.unavailable.some(({ source }) => source === 'systemd'))
      this.deps.journal
        .follow({ cursor: found.journalCursor, since, signal }, receiveMatching)
        .catch(() => undefined);
    return found.unavailable;
  }

  private async read(query: LogQuery): Promise<ReadLogs> {
    const { ring, containers, journal, cloudInitFolder } = this.deps;
    const skipped = Number(query.cursor?.split('/')[1] ?? 0);
    const unavailable: { source: string; reason: string }[] = [];
    const readSource = async <T>(source: Source, none: T, read: () => Promise<T>): Promise<T> => {
      if (!includesSource(query, source)) return none;
      return read().catch((error: unknown) => {
        unavailable.push({
          source,
          reason: error instanceof Error ? error.message : 'The source cannot be read',
        });
        return none;
      });
    };
    const own = includesSource(query, 'agent') ? ring.list() : [];
    const [cloudInit, lines, journaled] = await Promise.all([
      readSource<LogEntry[]>('cloud-init', [], async () => {
        const entries = await cloudInitLogs(cloudInitFolder);
        if (!entries) throw new Error('This machine has no cloud-init logs');
        return entries;
      }),
      readSource<ContainerLine[]>('docker', [], async () => containers.logs(await containers.list())),
      readSource<JournalEntry[]>('systemd', [], () => journal.read(query, query.limit + skipped + 1)),
    ]);
    const others = [...lines, ...journaled.reverse()].map(({ entry }) => entry);
    return {
      entries: [...own, ...cloudInit, ...others],
      containerLines: lines,
      journalCursor: journaled.at(-1)?.cursor ?? null,
      unavailable,
    };
  }
}

/** A query for a container excludes the other sources. */
function includesSource(query: LogQuery, source: Source): boolean {
  if (query.container !== undefined && source !== 'docker') return false;
  return query.source === 'all' || query.source === source;
}
