import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { newId } from '../../shared/ids.js';
import type { Task } from './task.js';
import { taskStatuses } from './task-status.js';

/** Who moved a task: a person, the agent that works on it, its node, or the control plane itself. */
export const Actor = z.object({
  actorType: z.enum(['user', 'agent', 'node', 'system']),
  actorId: z.nullable(z.string()),
});
export type Actor = z.infer<typeof Actor>;

/** The control plane itself. */
export const bySystem: Actor = { actorType: 'system', actorId: null };

export const TaskEvent = z.object({
  eventId: Ulid,
  taskId: Ulid,
  /** Null: with this event it came to be. */
  fromStatus: z.nullable(z.enum(taskStatuses)),
  toStatus: z.enum(taskStatuses),
  ...Actor.shape,
  reason: z.nullable(z.string()),
  createdAt: z.iso.datetime(),
});
export type TaskEvent = z.infer<typeof TaskEvent>;

export const eventPrefix = 'EVENT#';
export const eventsOfTask = (taskId: string): string => `TASK#${taskId}`;

const eventItem = (event: TaskEvent, { projectId }: Pick<Task, 'projectId'>) => ({
  pk: eventsOfTask(event.taskId),
  sk: `${eventPrefix}${event.eventId}`,
  entity: 'task-event',
  schemaVersion: 1,
  projectId,
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
