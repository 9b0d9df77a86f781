import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { taskSorts } from '../../domain/tasks/list-tasks.js';
import { maxPriority } from '../../domain/tasks/task.js';
import { TaskEvent } from '../../domain/tasks/task-events.js';
import { taskStatuses } from '../../domain/tasks/task-status.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery, pageQueryUpTo } from '../../edge/contract-parts.js';
import { creationHeader } from '../../edge/idempotency-header.js';
import { description, priority, project, task, title } from './task-fields.js';
import { TaskDetail, TaskSummary, TaskView } from './task-view.js';

/** How the agent is started when the task is run. */
const wishes = {
  agentProfileId: z.optional(z.nullable(Ulid)),
  skillId: z.optional(z.nullable(Ulid)),
  /** A note for people. Only the id has an effect. */
  agentProfileHint: z.optional(z.nullable(z.string().check(z.maxLength(100)))),
};

export const create = contract({
  summary: 'Create a task',
  headers: creationHeader('task'),
  description:
    'Create a task in status `draft`. No agent works on a draft. To start one, move the task to `ready` and run it. With `parentTaskId` the task is a subtask of that task. A person has at most 1,000 tasks that were never run (`DRAFT_LIMIT_REACHED`). Each call without `Idempotency-Key` creates another task.',
  params: project,
  body: z.strictObject({
    title,
    description: z.optional(description),
    priority: z.optional(priority),
    parentTaskId: z.optional(Ulid),
    ...wishes,
  }),
  responses: { 201: TaskView },
  errors: [
    'IDEMPOTENCY_KEY_REUSED',
    'TASK_LIMIT_REACHED',
    'DRAFT_LIMIT_REACHED',
    'SUB_TASK_LIMIT_REACHED',
    'SERVICE_UNAVAILABLE',
  ],
});

export const list = contract({
  summary: 'List the tasks of a project',
  description:
    'Return one page of tasks without their descriptions and evidence. `status` and `minPriority` filter the page, so that it can hold fewer tasks than `limit`, or none, and still have a next page.',
  params: project,
  query: z.strictObject({
    ...pageQueryUpTo(200),
    status: z.optional(z.enum(taskStatuses)),
    minPriority: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(maxPriority))),
    sort: z._default(z.enum(taskSorts), 'createdAtDesc'),
  }),
  responses: { 200: z.object({ tasks: z.array(TaskSummary), nextCursor }) },
});

export const get = contract({
  summary: 'Return a task',
  description:
    'Return the task with its dependencies, whether one of them blocks it, an open question of its agent (`attention`) and the last message of its agent (at most 32,768 characters).',
  params: task,
  responses: { 200: TaskDetail },
});

export const patch = contract({
  summary: 'Change a task',
  description:
    'Change the given fields; omitted fields keep their values. A running execution keeps the values that it started with. Every member with `task:write` can change a task that was never run. After the first run only the creator can change it, because the agent follows the text.',
  params: task,
  body: z.strictObject({
    title: z.optional(title),
    description: z.optional(description),
    priority: z.optional(priority),
    ...wishes,
  }),
  responses: { 200: TaskView },
  errors: ['NOT_TASK_CREATOR', 'SERVICE_UNAVAILABLE'],
});

// `delete` is a reserved word.
const deletion = contract({
  summary: 'Delete a task',
  description:
    'Delete a task that is not active (`queued`, `delegated`, `in_progress` or `sleeping`) and whose workspace was cleaned up. Its dependencies are deleted too; its chat session and its events are kept. A repeat returns 404.',
  params: task,
  responses: { 204: null },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export { deletion as delete };

export const status = contract({
  summary: 'Move a task to another status',
  description:
    'Set the status of a task, with an optional reason for its events. Setting the present status changes nothing. Run the task to reach `queued`, `delegated` and `in_progress`; a conversation is `sleeping` while its workspace sleeps.',
  params: task,
  body: z.strictObject({
    toStatus: z.enum(['ready', 'completed', 'failed', 'cancelled']),
    reason: z.optional(z.string().check(z.maxLength(2_000))),
  }),
  responses: { 200: TaskView },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const events = contract({
  summary: 'List the events of a task',
  description:
    'Return the status changes of a task, newest first: from, to, actor (a person, an agent, a node or the system), reason and time.',
  params: task,
  query: z.strictObject(pageQuery),
  responses: {
    200: z.object({
      events: z.array(z.extend(z.omit(TaskEvent, { eventId: true }), { id: Ulid })),
      nextCursor,
    }),
  },
});

export const sessions = contract({
  summary: 'List the chat sessions of a task',
  description: 'Return the chat session of a task. The list is empty before the first run.',
  params: task,
  responses: {
    200: z.object({
      sessions: z.array(
        z.object({
          id: Ulid,
          topic: z.nullable(z.string()),
          status: z.string(),
          workspaceId: z.nullable(Ulid),
          agentSessionId: z.nullable(z.string()),
          messageCount: z.int(),
          createdAt: z.iso.datetime(),
          endedAt: z.nullable(z.iso.datetime()),
        }),
      ),
    }),
  },
});

export const addDependency = contract({
  summary: 'Add a dependency to a task',
  description:
    'Make the task wait for another task of the project. It can be run when all tasks that it waits for are completed. A task has at most 50 dependencies, a project 2,000. A dependency that closes a cycle fails with 409. A repeat changes nothing.',
  params: task,
  body: z.strictObject({ dependsOnTaskId: Ulid }),
  responses: { 200: z.object({ taskId: Ulid, dependsOnTaskId: Ulid }) },
  errors: ['TASK_DEPENDENCY_CYCLE', 'TASK_DEPENDENCY_LIMIT', 'SERVICE_UNAVAILABLE'],
});

export const removeDependency = contract({
  summary: 'Remove a dependency of a task',
  description: 'The task no longer waits for the other task. A repeat changes nothing.',
  params: z.extend(task, { dependsOnTaskId: Ulid }),
  responses: { 204: null },
  errors: ['SERVICE_UNAVAILABLE'],
});
