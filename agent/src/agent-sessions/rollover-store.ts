import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import {
  type RolloverOperation,
  rolloverErrorCodes,
  rolloverStates,
} from '../../../protocol/agent-sessions.js';
import { prepare } from '../store/database.js';

export interface RolloverKey {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly operationId: string;
}

export interface NewRollover extends RolloverKey {
  readonly protocolVersion: number;
  readonly requestHash: string;
  /** The ACP session to load again. */
  readonly acpSessionId: string | null;
}

export interface RolloverEnd {
  readonly state: 'completed' | 'superseded' | 'failed';
  readonly isForced?: boolean;
  readonly errorCode?: RolloverOperation['errorCode'];
  readonly errorMessage?: string;
}

const Row = z.object({
  workspace_id: z.string(),
  session_id: z.string(),
  operation_id: z.string(),
  protocol_version: z.int(),
  request_hash: z.string(),
  state: z.enum(rolloverStates),
  runtime_id: z.string(),
  is_forced: z.int(),
  acp_session_id: z.nullable(z.string()),
  error_code: z.nullable(z.enum(rolloverErrorCodes)),
  error_message: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
});

export interface StoredRollover {
  readonly operation: RolloverOperation;
  readonly requestHash: string;
}

const ofOperation = 'workspace_id = :workspaceId AND session_id = :sessionId AND operation_id = :operationId';
const isOthers = `state IN ('accepted', 'in_progress') AND runtime_id <> :runtime`;
const maxErrorLength = 2_048;

/** Table of rollovers. Only SessionRecords writes it. Each change is a compare-and-set. */
export class RolloverStore {
  constructor(
    private readonly database: DatabaseSync,
    private readonly runtimeIdentity: string,
    private readonly now: () => Date,
  ) {}

  /** Marks the rollover failed first when another run of the agent left it unfinished. */
  find(key: RolloverKey): StoredRollover | null {
    this.interrupt(` AND ${ofOperation}`, idOf(key));
    const row = prepare(this.database, `SELECT * FROM rollover_operations WHERE ${ofOperation}`).get(
      idOf(key),
    );
    return row ? toStored(Row.parse(row)) : null;
  }

  /** Returns false when the id is in use. */
  submit(rollover: NewRollover): boolean {
    const { changes } = prepare(
      this.database,
      `INSERT INTO rollover_operations (workspace_id, session_id, operation_id, protocol_version, request_hash, state,
           runtime_id, is_forced, acp_session_id, created_at, updated_at)
         VALUES (:workspaceId, :sessionId, :operationId, :protocolVersion, :requestHash, 'accepted', :runtime, 0,
           :acpSessionId, :at, :at)
         ON CONFLICT DO NOTHING`,
    ).run({
      ...idOf(rollover),
      protocolVersion: rollover.protocolVersion,
      requestHash: rollover.requestHash,
      acpSessionId: rollover.acpSessionId,
      runtime: this.runtimeIdentity,
      at: this.now().toISOString(),
    });
    return changes === 1;
  }

  begin(key: RolloverKey): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE rollover_operations SET state = 'in_progress', updated_at = :at
         WHERE ${ofOperation} AND state = 'accepted' AND runtime_id = :runtime`,
    ).run({ ...idOf(key), at: this.now().toISOString(), runtime: this.runtimeIdentity });
    return changes === 1;
  }

  /** Returns false when the rollover has ended already. */
  finish(key: RolloverKey, end: RolloverEnd): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE rollover_operations SET state = :state, is_forced = :forced, error_code = :code,
           error_message = :message, updated_at = :at
         WHERE ${ofOperation} AND state IN ('accepted', 'in_progress') AND runtime_id = :runtime`,
    ).run({
      ...idOf(key),
      state: end.state,
      forced: end.isForced ? 1 : 0,
      code: end.errorCode ?? null,
      message: end.errorMessage?.slice(0, maxErrorLength) ?? null,
      at: this.now().toISOString(),
      runtime: this.runtimeIdentity,
    });
    return changes === 1;
  }

  /** Fails rollovers that earlier runs of the agent left unfinished. */
  interruptOtherRuns(): number {
    return this.interrupt('', {});
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM rollover_operations WHERE workspace_id = ?').run(workspaceId);
  }

  private interrupt(condition: string, ids: Record<string, string>): number {
    const { changes } = prepare(
      this.database,
      `UPDATE rollover_operations SET state = 'failed', error_code = 'vm_runtime_interrupted',
           error_message = 'The node agent restarted during the rollover', updated_at = :at
         WHERE ${isOthers}${condition}`,
    ).run({ ...ids, at: this.now().toISOString(), runtime: this.runtimeIdentity });
    return Number(changes);
  }
}

function idOf({ workspaceId, sessionId, operationId }: RolloverKey) {
  return { workspaceId, sessionId, operationId };
}

function toStored(row: z.infer<typeof Row>): StoredRollover {
  return {
    requestHash: row.request_hash,
    operation: {
      workspaceId: row.workspace_id,
      sessionId: row.session_id,
      operationId: row.operation_id,
      protocolVersion: row.protocol_version,
      state: row.state,
      forced: row.is_forced === 1,
      acpSessionId: row.acp_session_id,
      errorCode: row.error_code,
      errorMessage: row.error_message,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
  };
}
