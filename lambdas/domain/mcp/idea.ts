import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { TaskNotFound, TaskNotInState } from '../tasks/errors.js';
import { findTask } from '../tasks/load-task.js';
import { maxMessageLength, maxPriority, maxTitleLength, type Task } from '../tasks/task.js';

/** The limits of a task: an idea that is run becomes one. */
export const ideaFields = {
  title: z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(maxTitleLength),
      z.regex(/^[^\p{Cc}]*$/u, 'Must be one line without control characters'),
      z.describe(`Title of the idea, one line of at most ${maxTitleLength} characters.`),
    ),
  content: z
    .string()
    .check(
      z.maxLength(maxMessageLength),
      z.describe(
        'Text of the idea, at most 16,000 characters. It is the first message to the agent when a person runs the idea.',
      ),
    ),
  priority: z
    .int()
    .check(
      z.gte(0),
      z.lte(maxPriority),
      z.describe('Priority in lists of tasks, 0 to 100. It does not affect when an agent starts.'),
    ),
};

/** An idea is a task that was never run. */
export function ideaView({ taskId, title, description, priority, status, createdAt, updatedAt }: Task) {
  return { id: taskId, title, content: description, priority, status, createdAt, updatedAt };
}

/** @throws {TaskNotInState} the idea was run */
export function requireIdea({ run, status }: Task): void {
  if (run > 0) throw new TaskNotInState(status, 'It was run and is no longer an idea. Use get_task_details.');
}

/**
 * One table call.
 *
 * @throws {TaskNotFound | TaskNotInState}
 */
export async function loadIdea(table: Table, projectId: string, ideaId: string): Promise<Task> {
  const task = await findTask(table, projectId, ideaId);
  if (!task) throw new TaskNotFound();
  requireIdea(task);
  return task;
}
