import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { GitPushResult } from '../../../protocol/task-callbacks.js';
import { LaunchSettings } from '../../domain/launch/launch-layer.js';
import { Attachment, Attachments } from '../../domain/tasks/attachment.js';
import { KeptChanges } from '../../domain/tasks/kept-changes.js';
import { maxMessageLength, WebAddress } from '../../domain/tasks/task.js';
import { contract } from '../../edge/contract.js';
import { oneLine, priority, project, task } from './task-fields.js';
import { TaskView } from './task-view.js';

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
    /** Open a pull request for the branch when a turn of the agent ends with pushed work. */
    openPullRequest: z.optional(z.boolean()),
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
    'RESOURCES_TOO_LARGE',
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
  params: task,
  responses: { 202: Begun },
  errors: [
    'RESOURCES_TOO_LARGE',
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
  params: task,
  body: z.strictObject({ reason: z.optional(z.string().check(z.maxLength(2_000))) }),
  responses: { 200: TaskView },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

export const close = contract({
  summary: 'Complete a task',
  description:
    'Move a task from `in_progress` or `sleeping` to `completed`. Its workspace sleeps, and a message to its chat session wakes it within seven days. A repeat returns the same.',
  params: task,
  responses: { 200: z.object({ status: z.literal('completed'), closedAt: z.iso.datetime() }) },
  errors: ['TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});

const PullRequest = z.object({ number: z.int(), url: z.url() });

export const pullRequest = contract({
  summary: 'Open the pull request of a task',
  description:
    'Open a pull request of the branch of the task against the branch that it started from (`baseBranch`, or the default branch of the project), with your own right at the code host, and store its address as `outputPrUrl`. Without `title` and `body` they are the title of the task and the summary of its agent, or the description without one. The answer is 201, or 200 with the pull request of the branch that is open already; it stays as it is. 409 `NOTHING_PUSHED` when the code host has no commit to merge, 409 `PULL_REQUEST_REFUSED` with its words when it refuses for another reason, as for a base branch that is gone, 403 `CODE_HOST_ACCESS_LOST` when it refuses you or the application.',
  example: { title: 'Say goodbye in hello.sh, too' },
  params: task,
  body: z.strictObject({
    title: z.optional(
      z.string().check(z.trim(), z.minLength(1), z.maxLength(256), z.regex(/^[^\p{Cc}]*$/u, oneLine)),
    ),
    body: z.optional(z.string().check(z.maxLength(60_000))),
  }),
  responses: { 200: PullRequest, 201: PullRequest },
  errors: [
    'NOTHING_PUSHED',
    'PULL_REQUEST_REFUSED',
    'CODE_HOST_ACCESS_LOST',
    'CODE_HOST_UNAVAILABLE',
    'SERVICE_UNAVAILABLE',
  ],
});

export const changes = contract({
  summary: 'Return what a task had changed at its end',
  description:
    'Return the git status and the diff against `base` as they were when the execution ended, or before the sleep of a workspace that slept by then, in the shape of `GET …/sessions/{sessionId}/git/status` and `…/git/diff`. The diff has at most 1 MiB; `truncated` is true when it was longer. It also has up to 20 files that git does not track, as far as there is room; others are only in `status.untracked`. Only the creator of the task can read it, as with the files of the workspace. 404 `CHANGES_NOT_KEPT` with the reason in words: the task has not ended, or its workspace did not answer.',
  params: task,
  responses: { 200: KeptChanges },
  errors: ['CHANGES_NOT_KEPT', 'NOT_TASK_CREATOR', 'SERVICE_UNAVAILABLE'],
});

const text = z.optional(z.string().check(z.maxLength(16_000)));

export const statusCallback = contract({
  summary: 'Report the status of a task',
  description:
    'Called by the node that runs the workspace of the task, while the execution is active. `toStatus` ends the task; `in_progress` is accepted when the task has that status. `executionStep` only moves forward. Output fields replace those of the task. A repeat changes nothing. A completed task accepts `outputBranch` and `outputPrUrl`. A workspace of another generation gets 410.',
  params: task,
  body: z.strictObject({
    toStatus: z.optional(z.enum(['in_progress', 'completed', 'failed'])),
    executionStep: z.optional(z.enum(['running', 'awaiting_followup'])),
    reason: z.optional(z.string().check(z.maxLength(2_000))),
    outputSummary: text,
    outputBranch: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
    outputPrUrl: z.optional(WebAddress),
    errorMessage: text,
    /** Written to the log. */
    gitPushResult: z.optional(GitPushResult),
  }),
  responses: { 200: TaskView },
  errors: ['NOT_FOUND', 'GONE', 'TASK_NOT_IN_STATE', 'SERVICE_UNAVAILABLE'],
});
