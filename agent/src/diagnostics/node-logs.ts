import type { LogQuery } from '../../api/log-query.js';
import { cloudInitLogs } from './cloud-init-logs.js';
import type { ContainerFollower } from './container-follower.js';
import type { ContainerLine } from './container-log-lines.js';
import type { Journal, JournalEntry } from './journal.js';
import { type LogPage, logPage, matchesQuery } from './log-page.js';
import type { LogEntry, LogRing } from './log-ring.js';
import type { NodeContainers } from './node-containers.js';

type Source = Exclude<LogQuery['source'], 'all'>;

export interface NodeLogParts {
  readonly ring: LogRing;
  readonly containers: NodeContainers;
  readonly follower: ContainerFollower;
  readonly journal: Journal;
  readonly cloudInitFolder: string;
}

/** What was read of all sources, with the places from which they go on. */
interface Found {
  readonly entries: readonly LogEntry[];
  readonly containerLines: readonly ContainerLine[];
  readonly journalCursor: string | null;
  readonly unavailable: LogPage['unavailable'];
}

/** All logs of this node as one. A source that is not here is left out, and said to be. */
export class NodeLogs {
  constructor(private readonly parts: NodeLogParts) {}

  async page(query: LogQuery): Promise<LogPage> {
    const { entries, unavailable } = await this.read(query);
    return { ...logPage(entries, query), unavailable };
  }

  /** The newest `catchUp` entries, oldest first, and then what comes, without a gap between them, until the signal. */
  async follow(
    query: LogQuery,
    { catchUp, signal }: { readonly catchUp: number; readonly signal: AbortSignal },
    take: (entry: LogEntry) => void,
  ): Promise<LogPage['unavailable']> {
    const since = new Date().toISOString();
    const meanwhile: LogEntry[] = [];
    let hear = (entry: LogEntry): void => {
      meanwhile.push(entry);
    };
    const wanted = (entry: LogEntry) => {
      if (matchesQuery(entry, query)) hear(entry);
    };
    // What the ring holds at this moment is read before anything else can be added to it.
    const reading = this.read({ ...query, limit: Math.max(1, catchUp) });
    if (asks(query, 'agent')) this.parts.ring.follow(wanted, signal);
    const found = await reading;
    const { entries } = logPage(found.entries, { ...query, limit: Math.max(1, catchUp) });
    for (const entry of entries.slice(0, catchUp).reverse()) take(entry);
    for (const entry of meanwhile) take(entry);
    hear = take;
    if (asks(query, 'docker'))
      this.parts.follower.follow({ since, lines: found.containerLines, signal }, wanted);
    if (asks(query, 'systemd') && !found.unavailable.some(({ source }) => source === 'systemd'))
      this.parts.journal
        .follow({ cursor: found.journalCursor, since, signal }, wanted)
        .catch(() => undefined);
    return found.unavailable;
  }

  private async read(query: LogQuery): Promise<Found> {
    const { ring, containers, journal, cloudInitFolder } = this.parts;
    const told = Number(query.cursor?.split('/')[1] ?? 0);
    const unavailable: { source: string; reason: string }[] = [];
    const ask = async <T>(source: Source, none: T, read: () => Promise<T>): Promise<T> => {
      if (!asks(query, source)) return none;
      return read().catch((error: unknown) => {
        unavailable.push({ source, reason: error instanceof Error ? error.message : 'It cannot be read' });
        return none;
      });
    };
    const own = asks(query, 'agent') ? ring.list() : [];
    const [cloudInit, lines, journaled] = await Promise.all([
      ask<LogEntry[]>('cloud-init', [], async () => {
        const entries = await cloudInitLogs(cloudInitFolder);
        if (!entries) throw new Error('cloud-init left no logs here');
        return entries;
      }),
      ask<ContainerLine[]>('docker', [], async () => containers.logs(await containers.list())),
      ask<JournalEntry[]>('systemd', [], () => journal.read(query, query.limit + told + 1)),
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

/** A container's name asks for containers alone. */
function asks(query: LogQuery, source: Source): boolean {
  if (query.container !== undefined && source !== 'docker') return false;
  return query.source === 'all' || query.source === source;
}
