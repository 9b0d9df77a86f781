import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { NodeEvent, NodeEventList } from '../../../protocol/node-api.js';
import type { EventPageQuery } from '../../api/events.js';
import type { Log } from '../shared/log.js';
import { redact, redactText } from '../shared/redact.js';
import { prepare } from './database.js';

/** Weeks of a busy node, in at most a few megabytes. */
const maxEvents = 10_000;
const keepDays = 7;
const trimEvery = 100;

export interface NewEvent {
  readonly workspaceId: string | null;
  readonly level: NodeEvent['level'];
  readonly type: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface EventQuery {
  readonly workspaceId: string | null;
  readonly limit: number;
  /** Only events older than this position. */
  readonly before: number | null;
}

/** Events of this node, limited in number and age, in their own file for the export. */
export class EventStore implements Disposable {
  private readonly database: DatabaseSync;
  private added = 0;

  constructor(
    path: string,
    private readonly deps: { readonly nodeId: string; readonly now: () => Date; readonly log: Log },
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.database = new DatabaseSync(path);
    chmodSync(path, 0o600);
    this.database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;
       CREATE TABLE IF NOT EXISTS events (
         seq INTEGER PRIMARY KEY AUTOINCREMENT,
         id TEXT NOT NULL UNIQUE,
         node_id TEXT NOT NULL,
         workspace_id TEXT,
         level TEXT NOT NULL,
         type TEXT NOT NULL,
         message TEXT NOT NULL,
         detail TEXT,
         created_at TEXT NOT NULL
       ) STRICT;
       CREATE INDEX IF NOT EXISTS events_of_workspace ON events (workspace_id, seq);`,
    );
    this.trim();
  }

  /** An event that cannot be stored, for example on a full disk, is logged. */
  add(event: NewEvent): void {
    try {
      this.insert(event);
    } catch (error) {
      this.deps.log.warn('Event not stored', { event, error });
    }
  }

  private insert({ workspaceId, level, type, message, detail }: NewEvent): void {
    prepare(
      this.database,
      `INSERT INTO events (id, node_id, workspace_id, level, type, message, detail, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      randomBytes(8).toString('hex'),
      this.deps.nodeId,
      workspaceId,
      level,
      type,
      redactText(message).slice(0, 1_024),
      detail ? JSON.stringify(redact(detail)).slice(0, 8_192) : null,
      this.deps.now().toISOString(),
    );
    this.added += 1;
    if (this.added % trimEvery === 0) this.trim();
  }

  /** Newest first. */
  list({ workspaceId, limit, before }: EventQuery): {
    readonly events: NodeEvent[];
    readonly next: number | null;
  } {
    const rows = prepare(
      this.database,
      `SELECT * FROM events WHERE seq < ? AND (? IS NULL OR workspace_id = ?) ORDER BY seq DESC LIMIT ?`,
    ).all(before ?? Number.MAX_SAFE_INTEGER, workspaceId, workspaceId, limit + 1);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? Number(page.at(-1)?.seq) : null;
    return { events: page.map(toEvent), next };
  }

  /** A page as the API returns it, newest first. */
  page(query: EventPageQuery, workspaceId: string | null): NodeEventList {
    const before = query.cursor === undefined ? null : Number(query.cursor);
    const { events, next } = this.list({ workspaceId, limit: query.limit, before });
    return { events, nextCursor: next === null ? null : String(next) };
  }

  /** Writes a consistent copy to a new file. */
  copyTo(path: string): void {
    prepare(this.database, 'VACUUM INTO ?').run(path);
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  private trim(): void {
    const oldest = new Date(this.deps.now().getTime() - keepDays * 86_400_000).toISOString();
    prepare(
      this.database,
      'DELETE FROM events WHERE created_at < ? OR seq <= (SELECT max(seq) - ? FROM events)',
    ).run(oldest, maxEvents);
  }
}

function toEvent(row: Record<string, SQLOutputValue>): NodeEvent {
  const detail = row.detail === null ? null : parseDetail(String(row.detail));
  return {
    id: String(row.id),
    nodeId: String(row.node_id),
    workspaceId: row.workspace_id === null ? null : String(row.workspace_id),
    level: row.level === 'warn' || row.level === 'error' ? row.level : 'info',
    type: String(row.type),
    message: String(row.message),
    detail,
    createdAt: String(row.created_at),
  };
}

/** A long detail was truncated and may be invalid JSON. */
function parseDetail(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
