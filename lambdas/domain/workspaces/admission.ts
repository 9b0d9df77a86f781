import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import type { NodeLimitReached } from './errors.js';
import { NoRoomYet } from './errors.js';
import { findWorkspace, type WorkspaceGeneration } from './find-workspace.js';
import { ownerOfWorkspaces, Workspace } from './workspace.js';

/** PlaceWorkspace is repeated at about these intervals. */
const retryMs = 60_000;
const longestWaitMs = 2 * 60 * 60_000;

interface Admission {
  /** The error with which PlaceWorkspace fails: `NoRoomYet` to be repeated, or `full`. */
  readonly error: Error;
  /** The row, if the workspace waits. */
  readonly waiting?: Workspace;
}

/**
 * Lets a workspace wait for a slot, for at most two hours: its row has the reason, its place in the
 * queue and the next retry. Two table calls.
 */
export async function waitForSlot(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  { full, now }: { readonly full: NodeLimitReached; readonly now: Date },
): Promise<Admission> {
  const seen = await findWorkspace(table, workspaceId);
  const admissionWaitingSince = seen?.admissionWaitingSince ?? now.toISOString();
  if (now.getTime() - Date.parse(admissionWaitingSince) > longestWaitMs) return { error: full };
  const { changed, workspace } = await changeWorkspace(table, {
    workspaceId,
    set: {
      // Otherwise the sweep takes the wait for a saga that has died.
      statusChangedAt: now.toISOString(),
      admissionReason: full.reason,
      admissionNextRetryAt: new Date(now.getTime() + retryMs).toISOString(),
      admissionQueuePosition: full.queuePosition,
      admissionWaitingSince,
      placementExplanation: full.explanation,
    },
    when: { equals: { generation, status: 'pending' } },
    now,
  });
  // A stop came first: the repeated step finds it.
  return { error: new NoRoomYet(), ...(changed ? { waiting: workspace } : {}) };
}

/** A workspace that has not retried for this long does not hold up the others. */
const abandonedMs = 2 * retryMs;

/**
 * How many workspaces of the same owner wait for any slot for longer than this one. One query over
 * the owner's workspaces.
 */
export async function countWaitingBefore(table: Table, workspace: Workspace, now: Date): Promise<number> {
  const since = (one: Workspace) => `${one.admissionWaitingSince ?? now.toISOString()} ${one.workspaceId}`;
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      FilterExpression:
        '#status = :pending AND admissionNextRetryAt > :alive AND attribute_not_exists(wantedNodeId)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':owner': ownerOfWorkspaces(workspace.userId),
        ':pending': 'pending',
        ':alive': new Date(now.getTime() - abandonedMs).toISOString(),
      },
    },
  );
  let before = 0;
  for await (const { Items = [] } of pages)
    before += Items.map((item) => Workspace.parse(item)).filter(
      (one) => since(one) < since(workspace),
    ).length;
  return before;
}
