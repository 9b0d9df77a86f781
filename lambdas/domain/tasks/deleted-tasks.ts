import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { type DeletionPass, deletePartition } from '../chats/delete-partition.js';
import { eventsOfTask } from './task-events.js';

/** Events and chat of a deleted task can be read for so long. */
const keptSeconds = 30 * 24 * 60 * 60;

/** Lets the sweep find deleted tasks by the time at which their events and chats are deleted. */
const DeletedTask = z.object({ taskId: Ulid, dueAt: z.iso.datetime() });
type DeletedTask = z.infer<typeof DeletedTask>;

const partition = 'DELETEDTASKS';

const deletedTaskKey = ({ taskId, dueAt }: DeletedTask) => ({ pk: partition, sk: `${dueAt}#${taskId}` });

export function deletedTaskItem(taskId: string, now: Date) {
  const dueAt = new Date(now.getTime() + keptSeconds * 1_000).toISOString();
  return {
    ...deletedTaskKey({ taskId, dueAt }),
    ...{ entity: 'deleted-task', schemaVersion: 1, taskId, dueAt },
  };
}

/** The most that one pass of the sweep deletes. */
const perPass = { tasks: 50, items: 1_000 } as const;

interface Most {
  readonly tasks: number;
  readonly items: number;
}

/**
 * Deletes the events and the chats of tasks that were deleted 30 days ago, a bounded part a pass.
 * The task of a chat has its id. Repeatable: the content of a message goes before the message, and
 * the marker last.
 */
export async function deleteOldTasks(pass: DeletionPass, most: Most = perPass): Promise<void> {
  const { table, now } = pass;
  let left = most.items;
  for (const deleted of await listDue(table, now, most.tasks)) {
    for (const pk of [eventsOfTask(deleted.taskId), chatKey(deleted.taskId).pk]) {
      if (left <= 0) return;
      left -= await deletePartition(pass, pk, left);
    }
    if (left <= 0) return;
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: deletedTaskKey(deleted) }));
  }
}

async function listDue(table: Table, now: Date, most: number): Promise<readonly DeletedTask[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk < :now',
      ExpressionAttributeValues: { ':pk': partition, ':now': now.toISOString() },
      Limit: most,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => DeletedTask.parse(item));
}
