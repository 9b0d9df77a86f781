import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { BootLogEntry } from '../../../protocol/callbacks.js';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import {
  requireGeneration,
  requireOwnWorkspace,
  type WorkspaceGeneration,
} from '../workspaces/find-workspace.js';
import { Workspace } from '../workspaces/workspace.js';

const keptSeconds = 7 * 24 * 60 * 60;

/** Entries of one life: a node gone wild must not fill the table, and all of them fit one page of a query. */
export const maxEntries = 150;

export const BootLogRecord = z.object({
  workspaceId: z.string(),
  generation: z.int(),
  entryId: z.string(),
  entry: BootLogEntry,
});
export type BootLogRecord = z.infer<typeof BootLogRecord>;

const sortPrefix = (generation: number): string => `BOOTLOG#${String(generation).padStart(8, '0')}#`;

export const bootLogItem = ({ workspaceId, generation, entryId, entry }: BootLogRecord, now: Date) => ({
  pk: `WORKSPACE#${workspaceId}`,
  sk: `${sortPrefix(generation)}${entryId}`,
  entity: 'boot-log',
  schemaVersion: 1,
  workspaceId,
  generation,
  entryId,
  entry,
  expiresAt: Math.floor(now.getTime() / 1000) + keptSeconds,
});

/**
 * Adds one entry, once for each `entryId`. Nothing when the log of this life is full. Two table calls.
 *
 * @throws {WorkspaceNotFound | StaleGeneration}
 */
export async function appendBootLog(
  table: Table,
  life: WorkspaceGeneration & { readonly nodeId: string },
  { entryId, entry, now }: { readonly entryId: string; readonly entry: BootLogEntry; readonly now: Date },
): Promise<{ readonly workspace: Workspace; readonly added: boolean }> {
  const { workspaceId, generation, nodeId } = life;
  // The count may run ahead of the entries when one is repeated; it is a bound, not a figure.
  const counted = await changeWorkspace(table, {
    workspaceId,
    increment: { bootLogEntries: 1 },
    when: {
      equals: { generation, nodeId },
      oneOf: { status: ['provisioning', 'running', 'recovering', 'stopping', 'errored'] },
      absentOrBefore: { bootLogEntries: maxEntries },
    },
    isInternal: true,
    now,
  });
  const workspace = requireGeneration(counted.workspace, life);
  if (!counted.changed) return { workspace, added: false };
  await putItem(table, bootLogItem({ workspaceId, generation, entryId, entry }, now), { exists: false });
  return { workspace, added: true };
}

/**
 * The entries of the present life, in the order in which the node wrote them. The row lies behind all its entries, so
 * one query, from the end, gives the row first and then the present life's entries; agent sessions and their tokens, which
 * lie between, are left out. One table call.
 *
 * @throws {WorkspaceNotFound} there is none, it is deleted, or it is somebody else's
 */
export async function listBootLog(
  table: Table,
  { workspaceId, userId }: Pick<Workspace, 'workspaceId' | 'userId'>,
): Promise<readonly BootLogRecord[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      FilterExpression: 'entity IN (:row, :entry)',
      ExpressionAttributeValues: {
        ':pk': `WORKSPACE#${workspaceId}`,
        ':row': 'workspace',
        ':entry': 'boot-log',
      },
      ScanIndexForward: false,
      ConsistentRead: true,
    }),
  );
  const [row, ...entries] = Items;
  const workspace = requireOwnWorkspace(row && Workspace.parse(row), workspaceId, userId);
  return entries
    .map((item) => BootLogRecord.parse(item))
    .filter(({ generation }) => generation === workspace.generation)
    .reverse();
}
