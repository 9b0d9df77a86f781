import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { ResolvedLaunch } from '../launch/resolve-launch.js';
import { Attachment } from './attachment.js';
import { executionSteps, taskStatuses } from './task-status.js';

export const maxTitleLength = 100;
export const maxMessageLength = 16_000;
export const maxPriority = 100;

/** Where the API has it. */
export const taskPath = (projectId: string, taskId: string): string =>
  `/api/projects/${projectId}/tasks/${taskId}`;

/** Of a pull request: whoever looks at the task follows it, so that it must lead nowhere but to a page. */
export const WebAddress = z.url({ protocol: /^https?$/ }).check(z.maxLength(2_048));

/** What an agent says it has checked before it calls a task done. */
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
  /** Who made it, and whose nodes and rights it uses. */
  userId: Ulid,
  parentTaskId: z.nullable(Ulid),
  /** How many tasks are above it. */
  dispatchDepth: z.int(),
  /** Of all that were ever made below it. */
  subTaskCount: z.int(),
  /** The task that it is another attempt at, and the how manieth attempt after the first it is. */
  retryOf: z.nullable(Ulid),
  retryCount: z.int(),
  triggeredBy: z.enum(['user', 'agent']),
  title: z.string(),
  /** Of a submitted task its whole first message. */
  description: z.nullable(z.string()),
  status: z.enum(taskStatuses),
  executionStep: z.nullable(z.enum(executionSteps)),
  priority: z.int(),
  taskMode: z.enum(['task', 'conversation']),
  agentProfileHint: z.nullable(z.string()),
  agentProfileId: z.nullable(Ulid),
  skillId: z.nullable(Ulid),
  /** What its agent is told besides the message. */
  contextSummary: z.nullable(z.string()),
  attachments: z.array(Attachment),
  /** Counts its executions; what an earlier one still says has no effect. */
  run: z.int(),
  /** How the present execution starts its agent, and who said so. */
  launch: z.nullable(ResolvedLaunch),
  /** Set while it waits for room on a node, and until when it is looked for again. */
  admissionState: z.nullable(z.enum(['waiting', 'admitted'])),
  admissionReason: z.nullable(z.string()),
  admissionNextRetryAt: z.nullable(z.iso.datetime()),
  /** The node that this execution was asked to be on. */
  requestedNodeId: z._default(z.nullable(Ulid), null),
  /** Of its present execution, or the last one. */
  workspaceId: z.nullable(Ulid),
  agentSessionId: z.nullable(Ulid),
  /** The prompt that begins its agent. */
  startDeliveryId: z.nullable(Ulid),
  /** The same as its own id, so that both are read together; null before it was first executed. */
  chatId: z.nullable(Ulid),
  errorMessage: z.nullable(z.string()),
  outputSummary: z.nullable(z.string()),
  outputBranch: z.nullable(z.string()),
  outputPrUrl: z.nullable(z.string()),
  completionEvidence: z.nullable(CompletionEvidence),
  startedAt: z.nullable(z.iso.datetime()),
  completedAt: z.nullable(z.iso.datetime()),
  /** When what its execution had built was put away. */
  finalizedAt: z.nullable(z.iso.datetime()),
  /** Grows with every change. */
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Task = z.infer<typeof Task>;

export const taskPrefix = 'TASK#';

/** Ids sort by the time they were made, so the partition itself is the list by creation. */
export const taskKey = (projectId: string, taskId: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: `${taskPrefix}${taskId}`,
});

/** One partition in each index: by priority in `byOwner`, by the last change in `byParent`. */
export const tasksOfProject = (projectId: string): string => `PROJECT#${projectId}#TASKS`;

/** Sorts as the number does. */
export const priorityPrefix = (priority: number): string => `${String(priority).padStart(3, '0')}#`;

/** What of the index keys moves with a task. */
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
  ...task,
});

export type NewTask = Pick<Task, 'taskId' | 'projectId' | 'userId' | 'title'> &
  Partial<Omit<Task, 'version' | 'createdAt' | 'updatedAt'>>;

/** An idea, where nothing else is said: nothing works on it yet. */
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
    attachments: [],
    run: 0,
    launch: null,
    chatId: null,
    startDeliveryId: null,
    outputBranch: null,
    finalizedAt: null,
    ...beforeRun,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...asked,
  };
}

/** What an execution says, before it says anything. */
export const beforeRun = {
  executionStep: null,
  requestedNodeId: null,
  admissionState: null,
  admissionReason: null,
  admissionNextRetryAt: null,
  workspaceId: null,
  agentSessionId: null,
  errorMessage: null,
  outputSummary: null,
  outputPrUrl: null,
  completionEvidence: null,
  startedAt: null,
  completedAt: null,
} as const satisfies Partial<Task>;
