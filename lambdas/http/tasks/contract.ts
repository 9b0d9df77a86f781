// biome-ignore-all lint/style/noExcessiveLinesPerFile: the contracts of one area, read as one list
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { LaunchSettings } from '../../domain/launch/launch-layer.js';
import { Attachment, Attachments } from '../../domain/tasks/attachment.js';
import { taskSorts } from '../../domain/tasks/page-tasks.js';
import { maxMessageLength, maxPriority, maxTitleLength, WebAddress } from '../../domain/tasks/task.js';
import { TaskEvent } from '../../domain/tasks/task-event.js';
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
    z.regex(/^[^\p{Cc}]*$/u, 'No control characters'),
  );
const description = z.nullable(z.string().check(z.maxLength(maxMessageLength)));
const priority = z.int().check(z.gte(0), z.lte(maxPriority));
/** How its agent is to be started, once it is run. */
const wishes = {
  agentProfileId: z.optional(z.nullable(Ulid)),
  skillId: z.optional(z.nullable(Ulid)),
  /** In words, for people; what counts is the id. */
  agentProfileHint: z.optional(z.nullable(z.string().check(z.maxLength(100)))),
};

export const create = contract({
  summary: 'Create a task',
  description: 'As a draft, which is an idea: nothing works on it until it is made ready and run.',
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
  summary: 'Tasks of a project',
  description:
    'Without their descriptions and evidence. With `status` or `minPriority` a page may hold fewer than `limit`, or none, and still have a next one.',
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
  summary: 'A task, with what it waits for and what its agent said last',
  params,
  responses: { 200: TaskDetail },
});

export const patch = contract({
  summary: 'Change what a task says',
  description:
    'Change the given fields; omitted fields keep their values. A running execution keeps the values that it started with. Every member with `task:write` can change a task that was never run. After its first run only its creator can, because its agent follows the text.',
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

// The file is called delete, which is no name for an export.
const deletion = contract({
  summary: 'Delete a task',
  description:
    'One that nothing works on. What waited for it waits for it no more; its chat session stays. A repeat answers 404.',
  params,
  responses: { 204: null },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export { deletion as delete };

export const status = contract({
  summary: 'Move a task to another status',
  description:
    'To where it is already: nothing happens. `queued`, `delegated` and `in_progress` are reached by running the task, not by this.',
  params,
  body: z.strictObject({
    toStatus: z.enum(['ready', 'completed', 'failed', 'cancelled']),
    reason: z.optional(z.string().check(z.maxLength(2_000))),
  }),
  responses: { 200: TaskView },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const events = contract({
  summary: 'How a task came to where it is, newest first',
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
  summary: 'The chat sessions of a task',
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
  summary: 'Ask for an address to upload an attachment to',
  description:
    'Within 15 minutes: a PUT of exactly `size` bytes with these headers. Then name it in the `attachments` of a submission; it is kept for a week. 50 MiB at most.',
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
  summary: 'Give an agent a task, as a message',
  description:
    'One transaction makes the task, its chat session and the first message there; then it is executed. A repeat with the same `Idempotency-Key` header within a day answers the same and makes nothing; with another body it is 409. The title is the first line of the message. `vmSize`, `vmLocation` and `provider` are accepted from old clients and have no effect.',
  headers: { 'Idempotency-Key': 'Of your own making; a repeat with it makes no second task' },
  example: { message: 'Say goodbye in hello.sh, too' },
  params: project,
  body: z.strictObject({
    message: z.string().check(z.maxLength(maxMessageLength), z.regex(/\S/u, 'Says nothing')),
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
    /** One of your own nodes, that runs: it is executed there, and waits for room there if need be. */
    nodeId: z.optional(Ulid),
    /** At most 20, and 200 MiB together; each was uploaded by you before. */
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
  summary: 'Execute a task that is ready',
  description:
    'The agent gets the description (without one, the title) as its first message, in a new workspace on the same branch and in the same chat session. The caller becomes the creator of a task that was never run, and its agent works with the credentials of the caller. After that only the creator can run it again.',
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

export const delegate = contract({ ...run, summary: 'The same as run, by its older name' });

export const cancel = contract({
  summary: 'Cancel a task',
  description:
    'Wherever it is. A workspace in which no agent has worked yet is deleted; one in which one has is stopped, so that its files can be had again. A repeat answers the same.',
  params,
  body: z.strictObject({ reason: z.optional(z.string().check(z.maxLength(2_000))) }),
  responses: { 200: TaskView },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const close = contract({
  summary: 'Say that a task in progress is done',
  params,
  responses: { 200: z.object({ status: z.literal('completed'), closedAt: z.iso.datetime() }) },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const addDependency = contract({
  summary: 'Make a task wait for another one',
  description:
    'It can be run once all that it waits for is completed. At most 50 a task, and 2,000 in a project. A repeat changes nothing.',
  params,
  body: z.strictObject({ dependsOnTaskId: Ulid }),
  responses: { 200: z.object({ taskId: Ulid, dependsOnTaskId: Ulid }) },
  errors: ['TASK_DEPENDENCY_CYCLE', 'TASK_DEPENDENCY_LIMIT', 'SERVICE_UNAVAILABLE'],
});

export const removeDependency = contract({
  summary: 'Let a task wait for another one no more',
  params: z.extend(params, { dependsOnTaskId: Ulid }),
  responses: { 204: null },
  errors: ['SERVICE_UNAVAILABLE'],
});

const words = z.optional(z.string().check(z.maxLength(16_000)));

export const statusCallback = contract({
  summary: 'What becomes of a task in a workspace',
  description:
    'Of the task that the workspace was made for, while its execution is under way. `executionStep` only goes forward; `in_progress` is answered where it is so already. 410 once the workspace has another life.',
  params,
  body: z.strictObject({
    toStatus: z.optional(z.enum(['in_progress', 'completed', 'failed'])),
    executionStep: z.optional(z.enum(['running', 'awaiting_followup'])),
    reason: z.optional(z.string().check(z.maxLength(2_000))),
    outputSummary: words,
    outputBranch: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
    outputPrUrl: z.optional(WebAddress),
    errorMessage: words,
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
