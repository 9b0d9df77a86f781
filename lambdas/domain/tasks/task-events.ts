import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { newId } from '../../shared/ids.js';
import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import type { Task } from './task.js';
import { taskStatuses } from './task-status.js';

/** The cause of a move: a person, an agent, a node or the control plane. */
export const Actor = z.object({
  actorType: z.enum(['user', 'agent', 'node', 'system']),
  actorId: z.nullable(z.string()),
});

export type Actor = z.infer<typeof Actor>;

/** The control plane. */
export const bySystem: Actor = { actorType: 'system', actorId: null };

export const TaskEvent = z.object({
  eventId: Ulid,
  taskId: Ulid,
  /** Null in the first event of a task. */
  fromStatus: z.nullable(z.enum(taskStatuses)),
  toStatus: z.enum(taskStatuses),
  ...Actor.shape,
  reason: z.nullable(z.string()),
  createdAt: z.iso.datetime(),
});

export type TaskEvent = z.infer<typeof TaskEvent>;

const eventPrefix = 'EVENT#';
export const eventsOfTask = (taskId: string): string => `TASK#${taskId}`;

/** Also events of a task that is not deleted: a person can move a task without end. */
export const taskEventDays = 365;
const keptSeconds = taskEventDays * 24 * 60 * 60;

const eventItem = (event: TaskEvent, { projectId }: Pick<Task, 'projectId'>) => ({
  pk: eventsOfTask(event.taskId),
  sk: `${eventPrefix}${event.eventId}`,
  entity: 'task-event',
  schemaVersion: 1,
  projectId,
  expiresAt: Math.floor(Date.parse(event.createdAt) / 1_000) + keptSeconds,
  ...event,
});

export function moveEvent(
  task: Pick<Task, 'taskId' | 'projectId'>,
  move: Omit<TaskEvent, 'eventId' | 'taskId' | 'createdAt'>,
  now: Date,
) {
  const { taskId } = task;
  return eventItem({ ...move, taskId, eventId: newId(now.getTime()), createdAt: now.toISOString() }, task);
}

export const firstEvent = (task: Task, actor: Actor) =>
  moveEvent(
    task,
    { fromStatus: null, toStatus: task.status, ...actor, reason: null },
    new Date(task.createdAt),
  );

/** Newest first. One table call. */
export async function listTaskEvents(
  table: Table,
  taskId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly events: readonly TaskEvent[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :task AND begins_with(sk, :events)',
      ExpressionAttributeValues: { ':task': eventsOfTask(taskId), ':events': eventPrefix },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    { ...page, query: `events of ${taskId}` },
  );
  return { events: items.map((item) => TaskEvent.parse(item)), nextCursor };
}
