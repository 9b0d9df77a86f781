import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { type SettleReason, settleReasons } from '../../../protocol/interactions.js';
import { prepare } from '../store/database.js';
import type { ReportedWaiter } from './report-body.js';

/** A call that reports how a request went on. */
export interface StoredReport {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly waiter: ReportedWaiter;
  readonly deadlineAt: number;
  readonly call:
    | { readonly name: 'settle'; readonly reason: SettleReason }
    | { readonly name: 'complete-url'; readonly elicitationId: string };
}

const Row = z.object({
  call: z.enum(['settle', 'complete-url']),
  workspace_id: z.string(),
  project_id: z.string(),
  waiter: z.string(),
  detail: z.string(),
  deadline_at: z.int(),
});

/**
 * The calls that the control plane has not answered. A request that waits has its settle already,
 * without a reason, so that the next run of the agent ends what this one leaves behind. Deleting a
 * workspace removes its calls.
 */
export class ReportStore {
  constructor(private readonly database: DatabaseSync) {}

  /** Before the control plane learns of the request. */
  open(report: Omit<StoredReport, 'call'>): void {
    this.insert(report, 'settle', null);
  }

  settle(interactionId: string, reason: SettleReason): void {
    prepare(
      this.database,
      `UPDATE interaction_reports SET detail = ? WHERE interaction_id = ? AND call = 'settle'`,
    ).run(reason, interactionId);
  }

  completeUrl(report: Omit<StoredReport, 'call'>, elicitationId: string): void {
    this.insert(report, 'complete-url', elicitationId);
  }

  remove(interactionId: string, call: StoredReport['call']['name']): void {
    prepare(this.database, 'DELETE FROM interaction_reports WHERE interaction_id = ? AND call = ?').run(
      interactionId,
      call,
    );
  }

  /** At the start of the agent: what waited ended with the run before. */
  leftovers(): StoredReport[] {
    const reason: SettleReason = 'connection_closed';
    prepare(this.database, 'UPDATE interaction_reports SET detail = ? WHERE detail IS NULL').run(reason);
    return prepare(this.database, 'SELECT * FROM interaction_reports ORDER BY rowid').all().map(toReport);
  }

  private insert(
    { workspaceId, projectId, waiter, deadlineAt }: Omit<StoredReport, 'call'>,
    call: StoredReport['call']['name'],
    detail: string | null,
  ): void {
    prepare(
      this.database,
      `INSERT INTO interaction_reports
           (interaction_id, call, workspace_id, project_id, waiter, detail, deadline_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ).run(
      waiter.interactionId,
      call,
      workspaceId,
      projectId,
      JSON.stringify(waiter),
      detail,
      Math.floor(deadlineAt),
    );
  }
}

function toReport(row: Record<string, SQLOutputValue>): StoredReport {
  const { call, workspace_id, project_id, waiter, detail, deadline_at } = Row.parse(row);
  return {
    workspaceId: workspace_id,
    projectId: project_id,
    waiter: JSON.parse(waiter),
    deadlineAt: deadline_at,
    call:
      call === 'settle'
        ? { name: call, reason: z.enum(settleReasons).parse(detail) }
        : { name: call, elicitationId: detail },
  };
}
