import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { receiptStates } from '../../../protocol/agent-sessions.js';
import { prepare } from '../store/database.js';

/** Identifies one delivery to one session. */
export interface DeliveryKey {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly deliveryId: string;
}

export interface Delivery extends DeliveryKey {
  readonly protocolVersion: number;
  /** SHA-256 of the request. The text of the request is not stored. */
  readonly requestHash: string;
}

const Row = z.object({
  workspace_id: z.string(),
  session_id: z.string(),
  delivery_id: z.string(),
  protocol_version: z.int(),
  request_hash: z.string(),
  state: z.enum(receiptStates),
  runtime_id: z.string(),
  stop_reason: z.nullable(z.string()),
  error_code: z.nullable(z.string()),
  accepted_at: z.int(),
  completed_at: z.nullable(z.int()),
});

export interface Receipt extends Delivery {
  readonly state: (typeof receiptStates)[number];
  /** The run of the agent that claimed the delivery, or refused it last. */
  readonly runtimeIdentity: string;
  readonly stopReason: string | null;
  readonly errorCode: string | null;
  readonly acceptedAt: number;
  readonly completedAt: number | null;
}

const runtimeChanged = 'runtime_changed_after_invocation_claim';
const ofDelivery = 'workspace_id = :workspaceId AND session_id = :sessionId AND delivery_id = :deliveryId';

/**
 * Table of prompt receipts. Only SessionRecords writes it. Each change is a compare-and-set on the
 * state. The database syncs each commit to disk.
 */
export class ReceiptStore {
  constructor(
    private readonly database: DatabaseSync,
    readonly runtimeIdentity: string,
    private readonly now: () => number,
  ) {}

  /** Marks the receipt ambiguous first when another run of the agent left it in flight. */
  find(key: DeliveryKey): Receipt | null {
    const receipt = this.read(key);
    if (receipt?.state !== 'in_flight' || receipt.runtimeIdentity === this.runtimeIdentity) return receipt;
    this.interrupt(` AND ${ofDelivery}`, key);
    return this.read(key);
  }

  /** Records a refused delivery. A known receipt does not change. */
  refuse(delivery: Delivery): void {
    prepare(
      this.database,
      `INSERT INTO prompt_receipts (workspace_id, session_id, delivery_id, protocol_version, request_hash, state,
           runtime_id, accepted_at, updated_at)
         VALUES (:workspaceId, :sessionId, :deliveryId, :protocolVersion, :requestHash, 'accepted', :runtime, :at, :at)
         ON CONFLICT DO NOTHING`,
    ).run(this.newRow(delivery));
  }

  /** Returns false when the delivery is claimed already, or its receipt is of another request. */
  claim(delivery: Delivery): boolean {
    const { changes } = prepare(
      this.database,
      `INSERT INTO prompt_receipts (workspace_id, session_id, delivery_id, protocol_version, request_hash, state,
           runtime_id, accepted_at, updated_at)
         VALUES (:workspaceId, :sessionId, :deliveryId, :protocolVersion, :requestHash, 'in_flight', :runtime, :at, :at)
         ON CONFLICT DO UPDATE SET state = 'in_flight', runtime_id = excluded.runtime_id,
           accepted_at = excluded.accepted_at, updated_at = excluded.updated_at
         WHERE prompt_receipts.state = 'accepted' AND prompt_receipts.request_hash = excluded.request_hash
           AND prompt_receipts.protocol_version = excluded.protocol_version`,
    ).run(this.newRow(delivery));
    return changes === 1;
  }

  /** Changes only a receipt that this run of the agent has in flight. */
  complete(
    key: DeliveryKey,
    end: { readonly stopReason: string; readonly errorCode: string | null },
  ): boolean {
    return this.settle(key, { state: 'completed', ...end, completedAt: this.now() });
  }

  /** It is unknown whether the harness ran the prompt. */
  markAmbiguous(key: DeliveryKey, end: { readonly stopReason: string; readonly errorCode: string }): boolean {
    return this.settle(key, { state: 'ambiguous', ...end, completedAt: null });
  }

  /** Marks receipts that earlier runs of the agent left in flight ambiguous. */
  interruptOtherRuns(): number {
    return this.interrupt('', {});
  }

  hasInterrupted(workspaceId: string, since: number): boolean {
    const sql = `SELECT 1 FROM prompt_receipts WHERE workspace_id = ?
        AND (state = 'in_flight' OR (error_code IS NOT NULL AND updated_at >= ?)) LIMIT 1`;
    return prepare(this.database, sql).get(workspaceId, since) !== undefined;
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM prompt_receipts WHERE workspace_id = ?').run(workspaceId);
  }

  private newRow(delivery: Delivery) {
    const { workspaceId, sessionId, deliveryId, protocolVersion, requestHash } = delivery;
    const ids = { workspaceId, sessionId, deliveryId };
    return { ...ids, protocolVersion, requestHash, runtime: this.runtimeIdentity, at: this.now() };
  }

  private read({ workspaceId, sessionId, deliveryId }: DeliveryKey): Receipt | null {
    const row = prepare(this.database, `SELECT * FROM prompt_receipts WHERE ${ofDelivery}`).get({
      workspaceId,
      sessionId,
      deliveryId,
    });
    return row ? toReceipt(Row.parse(row)) : null;
  }

  private settle(
    { workspaceId, sessionId, deliveryId }: DeliveryKey,
    end: Pick<Receipt, 'state' | 'stopReason' | 'errorCode' | 'completedAt'>,
  ): boolean {
    const { changes } = prepare(
      this.database,
      `UPDATE prompt_receipts SET state = :state, stop_reason = :stopReason, error_code = :errorCode,
           completed_at = :completedAt, updated_at = :at
         WHERE ${ofDelivery} AND state = 'in_flight' AND runtime_id = :runtime`,
    ).run({
      workspaceId,
      sessionId,
      deliveryId,
      ...end,
      at: this.now(),
      runtime: this.runtimeIdentity,
    });
    return changes === 1;
  }

  private interrupt(condition: string, key: DeliveryKey | Record<string, never>): number {
    const { workspaceId, sessionId, deliveryId } = key;
    const ids = workspaceId === undefined ? {} : { workspaceId, sessionId, deliveryId };
    const { changes } = prepare(
      this.database,
      `UPDATE prompt_receipts SET state = 'ambiguous', error_code = :code, updated_at = :at
         WHERE state = 'in_flight' AND runtime_id <> :runtime${condition}`,
    ).run({ code: runtimeChanged, at: this.now(), runtime: this.runtimeIdentity, ...ids });
    return Number(changes);
  }
}

function toReceipt(row: z.infer<typeof Row>): Receipt {
  return {
    workspaceId: row.workspace_id,
    sessionId: row.session_id,
    deliveryId: row.delivery_id,
    protocolVersion: row.protocol_version,
    requestHash: row.request_hash,
    state: row.state,
    runtimeIdentity: row.runtime_id,
    stopReason: row.stop_reason,
    errorCode: row.error_code,
    acceptedAt: row.accepted_at,
    completedAt: row.completed_at,
  };
}
