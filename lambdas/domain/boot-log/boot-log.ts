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

/**
 * The limit of one generation: a faulty node must not fill the table, and all entries fit one
 * page.
 */
const maxEntries = 150;

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
 * Appends one entry, once for each `entryId`; nothing when the log of the generation is full. Two
 * table calls.
 *
 * @throws {workspaceNotFound | StaleGeneration}
 */
export async function appendBootLog(
  table: Table,
  reporter: WorkspaceGeneration & { readonly nodeId: string },
  { entryId, entry, now }: { readonly entryId: string; readonly entry: BootLogEntry; readonly now: Date },
): Promise<{ readonly workspace: Workspace; readonly added: boolean }> {
  const { workspaceId, generation, nodeId } = reporter;
  // A repeated entry is counted again: the count is a bound, not a figure.
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
  const workspace = requireGeneration(counted.workspace, reporter);
  if (!counted.changed) return { workspace, added: false };
  await putItem(table, bootLogItem({ workspaceId, generation, entryId, entry }, now), { exists: false });
  return { workspace, added: true };
}

/**
 * The entries of the present generation, in the order of the node. The row sorts after its
 * entries, so one query from the end reads the row and then the entries; a filter leaves out agent
 * sessions and tokens between them. One table call.
 *
 * @throws {workspaceNotFound} there is none, it is deleted, or it is somebody else's
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
  const workspace = requireOwnWorkspace(row && Workspace.parse(row), userId);
  return entries
    .map((item) => BootLogRecord.parse(item))
    .filter(({ generation }) => generation === workspace.generation)
    .reverse();
}
