// biome-ignore-all lint/style/noExcessiveLinesPerFile: the contracts of one area, read as one list
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { LaunchSettings } from '../../domain/launch/launch-layer.js';
import { Attachment, Attachments } from '../../domain/tasks/attachment.js';
import { taskSorts } from '../../domain/tasks/list-tasks.js';
import { maxMessageLength, maxPriority, maxTitleLength, WebAddress } from '../../domain/tasks/task.js';
import { TaskEvent } from '../../domain/tasks/task-events.js';
import { taskStatuses } from '../../domain/tasks/task-status.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQuery, pageQueryUpTo } from '../../edge/contract-parts.js';
import { TaskDetail, TaskSummary, TaskView } from './task-view.js';

const project = z.object({ projectId: Ulid });
const params = z.extend(project, { taskId: Ulid });

const title = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(maxTitleLength),
    z.regex(/^[^\p{Cc}]*$/u, 'Must be one line without control characters'),
  );
const description = z.nullable(z.string().check(z.maxLength(maxMessageLength)));
const priority = z.int().check(z.gte(0), z.lte(maxPriority));

/** How the agent is started when the task is run. */
const wishes = {
  agentProfileId: z.optional(z.nullable(Ulid)),
  skillId: z.optional(z.nullable(Ulid)),
  /** A note for people. Only the id has an effect. */
  agentProfileHint: z.optional(z.nullable(z.string().check(z.maxLength(100)))),
};

export const create = contract({
  summary: 'Create a task',
  description:
    'Create a task in status `draft`. No agent works on a draft. To start one, move the task to `ready` and run it. With `parentTaskId` the task is a subtask of that task. Each call creates another task.',
  params: project,
  body: z.strictObject({
    title,
    description: z.optional(description),
    priority: z.optional(priority),
    parentTaskId: z.optional(Ulid),
    ...wishes,
  }),
  responses: { 201: TaskView },
  errors: ['TASK_LIMIT_REACHED', 'SUB_TASK_LIMIT_REACHED', 'SERVICE_UNAVAILABLE'],
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
  params,
  responses: { 200: TaskDetail },
});

export const patch = contract({
  summary: 'Change a task',
  description:
    'Change the given fields; omitted fields keep their values. A running execution keeps the values that it started with. Every member with `task:write` can change a task that was never run. After the first run only the creator can change it, because the agent follows the text.',
  params,
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
    'Delete a task that is not active (`queued`, `delegated` or `in_progress`) and whose workspace was cleaned up. Its dependencies are deleted too; its chat session and its events are kept. A repeat returns 404.',
  params,
  responses: { 204: null },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export { deletion as delete };

export const status = contract({
  summary: 'Move a task to another status',
  description:
    'Set the status of a task, with an optional reason for its events. Setting the present status changes nothing. Run the task to reach `queued`, `delegated` and `in_progress`.',
  params,
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
  params,
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
  params,
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

const Begun = z.object({
  taskId: Ulid,
  sessionId: Ulid,
  branchName: z.string(),
  status: z.literal('queued'),
});

export const requestUpload = contract({
  summary: 'Request an upload URL for an attachment',
  description:
    'Return a URL for one PUT of exactly `size` bytes with the returned headers, valid for 15 minutes. Name the upload in `attachments` of a submission. The limit is 50 MiB; an upload is kept for a week. Each call returns another upload.',
  params: project,
  example: { filename: 'trace.txt', size: 1_024, contentType: 'text/plain' },
  body: z.omit(Attachment, { uploadId: true }),
  responses: {
    201: z.object({
      uploadId: Ulid,
      method: z.literal('PUT'),
      uploadUrl: z.url(),
      headers: z.record(z.string(), z.string()),
      expiresAt: z.iso.datetime(),
    }),
  },
});

export const submit = contract({
  summary: 'Submit a task to an agent',
  description:
    'Create a task with its chat session and its first message, and start an agent on it in a new workspace. The first line of the message becomes the title. Fields for the agent override those of profile, skill, project and person. A repeat with the same `Idempotency-Key` header within 24 hours returns the same task; another body with that key fails with 409. `vmSize`, `vmLocation` and `provider` of old clients have no effect.',
  headers: { 'Idempotency-Key': 'A key that you choose. A repeat with the same key creates no second task' },
  example: { message: 'Say goodbye in hello.sh, too' },
  params: project,
  body: z.strictObject({
    message: z.string().check(z.maxLength(maxMessageLength), z.regex(/\S/u, 'Must contain text')),
    parentTaskId: z.optional(Ulid),
    contextSummary: z.optional(z.string().check(z.maxLength(maxMessageLength))),
    priority: z.optional(priority),
    agentProfileId: z.optional(Ulid),
    skillId: z.optional(Ulid),
    agentType: LaunchSettings.shape.agentType,
    workspaceProfile: LaunchSettings.shape.workspaceProfile,
    devcontainerConfigName: LaunchSettings.shape.devcontainerConfigName,
    taskMode: LaunchSettings.shape.taskMode,
    resourceRequirements: LaunchSettings.shape.resourceRequirements,
    /** One of your own running nodes. The task waits for capacity on it. */
    nodeId: z.optional(Ulid),
    /** Files that you have uploaded: at most 20, and 200 MiB together. */
    attachments: z.optional(Attachments),
    vmSize: z.optional(z.string().check(z.maxLength(32))),
    vmLocation: z.optional(z.string().check(z.maxLength(64))),
    provider: z.optional(z.string().check(z.maxLength(64))),
  }),
  responses: { 202: Begun },
  errors: [
    'IDEMPOTENCY_KEY_REUSED',
    'TASK_LIMIT_REACHED',
    'TASK_CONCURRENCY_REACHED',
    'SUB_TASK_LIMIT_REACHED',
    'SERVICE_UNAVAILABLE',
  ],
});

export const run = contract({
  summary: 'Run a task',
  description:
    'Start an agent on a task that is `ready` and not blocked, in a new workspace, on the branch and in the chat session of its earlier runs. The first message is the description, or the title without one. The caller becomes the creator of a task that was never run, and the agent works with the credentials of the creator. After that only the creator can run the task again. A repeat while the task is active fails with 409.',
  params,
  responses: { 202: Begun },
  errors: [
    'NOT_TASK_CREATOR',
    'TASK_NOT_IN_STATE',
    'TASK_BLOCKED',
    'TASK_CONCURRENCY_REACHED',
    'SERVICE_UNAVAILABLE',
  ],
});

export const delegate = contract({ ...run, summary: 'Run a task (older name of run)' });

export const cancel = contract({
  summary: 'Cancel a task',
  description:
    'Cancel a task in any status but `completed`. A workspace in which an agent has worked is stopped and keeps its files; otherwise it is deleted. A repeat returns the same task.',
  params,
  body: z.strictObject({ reason: z.optional(z.string().check(z.maxLength(2_000))) }),
  responses: { 200: TaskView },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const close = contract({
  summary: 'Complete a task',
  description:
    'Move a task from `in_progress` to `completed`. Its agent session ends and its workspace is stopped. A repeat returns the same.',
  params,
  responses: { 200: z.object({ status: z.literal('completed'), closedAt: z.iso.datetime() }) },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const addDependency = contract({
  summary: 'Add a dependency to a task',
  description:
    'Make the task wait for another task of the project. It can be run when all tasks that it waits for are completed. A task has at most 50 dependencies, a project 2,000. A dependency that closes a cycle fails with 409. A repeat changes nothing.',
  params,
  body: z.strictObject({ dependsOnTaskId: Ulid }),
  responses: { 200: z.object({ taskId: Ulid, dependsOnTaskId: Ulid }) },
  errors: ['TASK_DEPENDENCY_CYCLE', 'TASK_DEPENDENCY_LIMIT', 'SERVICE_UNAVAILABLE'],
});

export const removeDependency = contract({
  summary: 'Remove a dependency of a task',
  description: 'The task no longer waits for the other task. A repeat changes nothing.',
  params: z.extend(params, { dependsOnTaskId: Ulid }),
  responses: { 204: null },
  errors: ['SERVICE_UNAVAILABLE'],
});

const text = z.optional(z.string().check(z.maxLength(16_000)));

export const statusCallback = contract({
  summary: 'Report the status of a task',
  description:
    'Called by the node that runs the workspace of the task, while the execution is active. `toStatus` ends the task; `in_progress` is accepted when the task has that status. `executionStep` only moves forward. Output fields replace those of the task. A repeat changes nothing. A workspace of another generation gets 410.',
  params,
  body: z.strictObject({
    toStatus: z.optional(z.enum(['in_progress', 'completed', 'failed'])),
    executionStep: z.optional(z.enum(['running', 'awaiting_followup'])),
    reason: z.optional(z.string().check(z.maxLength(2_000))),
    outputSummary: text,
    outputBranch: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
    outputPrUrl: z.optional(WebAddress),
    errorMessage: text,
    /** Written to the log. */
    gitPushResult: z.optional(
      z.object({
        pushed: z.boolean(),
        commitSha: z.optional(z.string().check(z.regex(/^[0-9a-f]{7,64}$/))),
        branch: z.optional(z.string().check(z.maxLength(255))),
      }),
    ),
  }),
  responses: { 200: TaskView },
  errors: ['NOT_FOUND', 'GONE', 'TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});
