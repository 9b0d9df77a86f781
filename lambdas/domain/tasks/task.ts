import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { EndedBecause } from '../endings/ended-because.js';
import { ChannelName } from '../event-channels/channel-name.js';
import { ResolvedLaunch } from '../launch/resolve-launch.js';
import { ResolvedReservation } from '../nodes/reservation.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { type PendingReconcile, pendingReconcileItem } from '../records/pending-reconcile.js';
import { PlacementExplanation } from '../workspaces/placement-explanation.js';
import { Attachment } from './attachment.js';
import { executionSteps, taskStatuses } from './task-status.js';

export const maxTitleLength = 100;
export const maxMessageLength = 16_000;
export const maxPriority = 100;

/** Path of a task in the API. */
export const taskPath = (projectId: string, taskId: string): string =>
  `/api/projects/${projectId}/tasks/${taskId}`;

/** The address of a pull request. People follow it, so that only web pages are allowed. */
export const WebAddress = z.url({ protocol: /^https?$/ }).check(z.maxLength(2_048));

/** The checks that an agent reports with the completion of its task. */
export const CompletionEvidence = z.strictObject({
  testsRun: z.array(
    z.strictObject({ command: z.string(), passed: z.boolean(), detail: z.optional(z.string()) }),
  ),
  verifications: z.array(
    z.strictObject({
      kind: z.enum(['test', 'staging', 'manual', 'ci', 'other']),
      description: z.string(),
      evidence: z.optional(z.string()),
    }),
  ),
  prUrl: z.optional(z.string()),
  notes: z.optional(z.string()),
});

export type CompletionEvidence = z.infer<typeof CompletionEvidence>;

export const Task = z.object({
  taskId: Ulid,
  projectId: Ulid,
  /** Its creator: the agent works with the credentials and on the nodes of this person. */
  userId: Ulid,
  parentTaskId: orNull(Ulid),
  /** Number of tasks above it. */
  dispatchDepth: z.int(),
  /** Number of subtasks that it ever had. */
  subTaskCount: z.int(),
  /** The task that it retries, and the number of retries since the original. */
  retryOf: orNull(Ulid),
  retryCount: z.int(),
  triggeredBy: z.enum(['user', 'agent']),
  title: z.string(),
  /** The whole first message of a submitted task. */
  description: orNull(z.string()),
  status: z.enum(taskStatuses),
  executionStep: orNull(z.enum(executionSteps)),
  priority: z.int(),
  taskMode: z.enum(['task', 'conversation']),
  agentProfileHint: orNull(z.string()),
  agentProfileId: orNull(Ulid),
  skillId: orNull(Ulid),
  /** Added to the instructions of its agent. */
  contextSummary: orNull(z.string()),
  /** The event channel on which its agent coordinates with others; subtasks inherit it. */
  coordinationChannel: orNull(ChannelName),
  attachments: z.array(Attachment),
  /** Whether the node agent opens a pull request for pushed work. */
  openPullRequest: orNull(z.boolean()),
  /** Counts its executions. Reports of an earlier execution have no effect. */
  run: z.int(),
  /** The launch settings of the present execution, and the layer of each value. */
  launch: orNull(ResolvedLaunch),
  /** Set while it waits for capacity on a node, with the time of the next attempt. */
  admissionState: orNull(z.enum(['waiting', 'admitted'])),
  admissionReason: orNull(z.string()),
  admissionNextRetryAt: orNull(z.iso.datetime()),
  /** Its place among the person's workspaces that wait. */
  admissionQueuePosition: orNull(z.int()),
  /** The node that the submission asked for. */
  requestedNodeId: orNull(Ulid),
  /** Of the present or last execution. */
  workspaceId: orNull(Ulid),
  /** What its workspace takes of a node. */
  resolvedReservation: orNull(ResolvedReservation),
  /** Why its workspace was placed where it is, or waits. */
  placementExplanation: orNull(PlacementExplanation),
  agentSessionId: orNull(Ulid),
  /** The prompt that starts its agent. */
  startDeliveryId: orNull(Ulid),
  /** Same as its own id, so that both are read together; null before the first run. */
  chatId: orNull(Ulid),
  errorMessage: orNull(z.string()),
  /** Why its agent does not run, in words; absent while it does. */
  endedBecause: orNull(EndedBecause),
  outputSummary: orNull(z.string()),
  /** From which its branch starts; null for the default branch of the project. */
  baseBranch: orNull(z.string()),
  outputBranch: orNull(z.string()),
  outputPrUrl: orNull(z.string()),
  completionEvidence: orNull(CompletionEvidence),
  startedAt: orNull(z.iso.datetime()),
  completedAt: orNull(z.iso.datetime()),
  /** When end-run had cleaned up its execution. */
  finalizedAt: orNull(z.iso.datetime()),
  /** Grows with every change. */
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export type Task = z.infer<typeof Task>;

export const taskPrefix = 'TASK#';

/** Ids sort by creation time, so that the partition is the list by creation. */
export const taskKey = (projectId: string, taskId: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: `${taskPrefix}${taskId}`,
});

/** One partition in each index: by priority in `byOwner`, by the last change in `byParent`. */
export const tasksOfProject = (projectId: string): string => `PROJECT#${projectId}#TASKS`;

/** Sorts as the number does. */
export const priorityPrefix = (priority: number): string => `${String(priority).padStart(3, '0')}#`;

/** Index keys that change with a task. */
export const taskOrder = ({ priority, updatedAt, taskId }: Task) => ({
  ownerSk: `${priorityPrefix(priority)}${taskId}`,
  parentSk: `${updatedAt}#${taskId}`,
});

export const taskItem = (task: Task) => ({
  ...taskKey(task.projectId, task.taskId),
  entity: 'task',
  schemaVersion: 1,
  ownerPk: tasksOfProject(task.projectId),
  parentPk: tasksOfProject(task.projectId),
  ...taskOrder(task),
  ...withoutNulls(task),
});

type NewTask = Pick<Task, 'taskId' | 'projectId' | 'userId' | 'title'> &
  Partial<Omit<Task, 'version' | 'createdAt' | 'updatedAt'>>;

/** A draft, unless `asked` has another status. */
export function newTask(asked: NewTask, now: Date): Task {
  const at = now.toISOString();
  return {
    parentTaskId: null,
    dispatchDepth: 0,
    subTaskCount: 0,
    retryOf: null,
    retryCount: 0,
    triggeredBy: 'user',
    description: null,
    status: 'draft',
    priority: 0,
    taskMode: 'task',
    agentProfileHint: null,
    agentProfileId: null,
    skillId: null,
    contextSummary: null,
    coordinationChannel: null,
    attachments: [],
    openPullRequest: null,
    run: 0,
    launch: null,
    chatId: null,
    startDeliveryId: null,
    baseBranch: null,
    outputBranch: null,
    finalizedAt: null,
    ...beforeRun,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...asked,
  };
}

/** Fields of an execution that has not started. */
export const beforeRun = {
  executionStep: null,
  requestedNodeId: null,
  admissionState: null,
  admissionReason: null,
  admissionNextRetryAt: null,
  admissionQueuePosition: null,
  workspaceId: null,
  resolvedReservation: null,
  placementExplanation: null,
  agentSessionId: null,
  errorMessage: null,
  endedBecause: null,
  outputSummary: null,
  outputPrUrl: null,
  completionEvidence: null,
  startedAt: null,
  completedAt: null,
} as const satisfies Partial<Task>;

/** Between project id and task id: the key of a task has both. */
const separator = '.';

/** The marker of a task, for as long as the task can still change without a person. */
export const pendingReconcileOfTask = (
  { projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>,
  now: Date,
) =>
  pendingReconcileItem({ kind: 'TASK', id: `${projectId}${separator}${taskId}`, marker: now.toISOString() });

export function taskOfPendingReconcile({ id }: PendingReconcile): {
  readonly projectId: string;
  readonly taskId: string;
} {
  const [projectId = '', taskId = ''] = id.split(separator);
  return { projectId, taskId };
}
