import type { RateWindow } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { RequestKey } from '../idempotency/request-key.js';
import { earlierSubmission, submissionItem, submissionKey } from '../idempotency/task-submission.js';
import type { LaunchLayer } from '../launch/launch-layer.js';
import { launchTrust } from '../launch/launch-trust.js';
import { type LaunchOf, launchKeys, loadedLayers } from '../launch/load-layers.js';
import { resolveLaunch } from '../launch/resolve-launch.js';
import { requireUsableNode } from '../nodes/find-node.js';
import { type Offer, typesFor } from '../nodes/instance-types.js';
import { nodeKey } from '../nodes/node.js';
import { type Project, projectLayer, projectLimits } from '../projects/project.js';
import { newChatWithPrompt } from '../prompts/start-chat.js';
import { countRequest } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import { type Find, getItems, type Item } from '../records/batch-items.js';
import type { Attachment } from './attachment.js';
import { type GuardedWrite, transactGuarded } from './change-task.js';
import { parentTaskNotFound, taskConcurrencyReached, taskLimitReached } from './errors.js';
import { maxTitleLength, newTask, pendingReconcileOfTask, Task, taskItem, taskKey } from './task.js';
import { type Actor, firstEvent } from './task-events.js';
import { countSubmitted, isFull, subtaskCountWrites, subtaskDepth } from './task-limits.js';

export interface TaskSubmission {
  readonly project: Project;
  readonly userId: string;
  readonly actor: Actor;
  readonly message: string;
  readonly parentTaskId?: string | undefined;
  /** The task that it retries. */
  readonly retryOf?: Pick<Task, 'taskId' | 'retryCount'> | undefined;
  readonly contextSummary?: string | undefined;
  /** By default that of the parent task. */
  readonly coordinationChannel?: string | undefined;
  readonly agentProfileId?: string | undefined;
  readonly skillId?: string | undefined;
  readonly priority?: number | undefined;
  /** One of the person's nodes, on which the task must run. */
  readonly nodeId?: string | undefined;
  /** From which its branch starts; absent for the default branch. */
  readonly baseBranch?: string | undefined;
  readonly openPullRequest?: boolean | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  /** The request layer of the launch settings. */
  readonly request: LaunchLayer;
  readonly key?: RequestKey | undefined;
  readonly offer: Offer;
  readonly newId: () => string;
}

interface Submitted {
  readonly taskId: string;
  readonly branchName: string;
  /** Absent when an earlier submission with the same key has created it. */
  readonly task?: Task;
  /** The person's limit after this submission; absent with the task. */
  readonly window?: RateWindow;
}

/**
 * Creates a queued task with its chat and its first prompt, in one transaction. The caller starts
 * the saga; the sweep starts it when that fails. Three table calls, one of them to count the
 * submission, whoever calls.
 *
 * @throws {RateLimited} the person has submitted or run too many tasks
 * @throws {InvalidRequest} there is no such profile or skill, or the person's node cannot be used,
 * or no node is large enough
 * @throws {idempotencyKeyReused | parentTaskNotFound | SUB_TASK_LIMIT_REACHED | taskLimitReached |
 * taskConcurrencyReached}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a repeat is found before the transaction or by it
export async function submitTask(table: Table, asked: TaskSubmission, now: Date): Promise<Submitted> {
  const { project, userId, key } = asked;
  const keys = namedBy(asked);
  const named = Object.values(keys).filter((each) => each !== undefined);
  const find = await getItems(table, [...named, ...launchKeys(launchOf(asked))]);
  const earlier = keys.earlier && find(keys.earlier);
  if (key && earlier) return repeated(key, earlier);
  const window = await countRequest(table, rateLimits.TASK_RUN, { id: userId, now });
  if (keys.node) requireUsableNode(find(keys.node), userId, now);
  const task = taskOf(asked, { parent: keys.parent && parentOf(find(keys.parent)), find, now });
  if (task.launch) typesFor(task.launch.reservation, asked.offer);
  const branchName = String(task.outputBranch);
  const { taskId } = task;
  const limits = projectLimits(project);
  const { maxConcurrentTasks } = limits;
  const refusal = await transactGuarded(table, [
    ...(key ? [{ write: { put: submissionItem(key, task, branchName), when: { exists: false } } }] : []),
    ...taskWrites(task, { actor: asked.actor, maxConcurrentTasks, now }),
    ...chatWrites(task, asked, now),
    ...subtaskCountWrites(task, limits),
  ]);
  if (!refusal) return { taskId, branchName, task, window };
  // A concurrent submission with the same key came first.
  if (key && refusal.at === 0 && refusal.item) return repeated(key, refusal.item);
  throw refusal.error;
}

/** Keys of the records that the submission names. */
function namedBy({ project: { projectId }, userId, key, parentTaskId, nodeId }: TaskSubmission) {
  return {
    earlier: key && submissionKey({ projectId, userId }, key.key),
    parent: parentTaskId === undefined ? undefined : taskKey(projectId, parentTaskId),
    node: nodeId === undefined ? undefined : nodeKey(nodeId),
  };
}

function repeated(key: RequestKey, item: Item): Submitted {
  const { taskId, branchName } = earlierSubmission(key, item);
  return { taskId, branchName };
}

function parentOf(item: Item | undefined): Task {
  if (!item) throw parentTaskNotFound();
  return Task.parse(item);
}

const launchOf = ({ project, userId, agentProfileId, skillId }: TaskSubmission): LaunchOf => ({
  projectId: project.projectId,
  userId,
  profileId: agentProfileId,
  skillId,
});

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one record with many optional fields
function taskOf(
  asked: TaskSubmission,
  { parent, find, now }: { readonly parent: Task | undefined; readonly find: Find; readonly now: Date },
): Task {
  const { project, userId, message, priority = 0, newId } = asked;
  const dispatchDepth = subtaskDepth(parent, projectLimits(project));
  const taskId = newId();
  const title = titleOf(message);
  const layers = {
    request: asked.request,
    project: projectLayer(project),
    ...loadedLayers(find, launchOf(asked)),
  };
  const launch = resolveLaunch(layers, launchTrust(find, asked, project));
  return newTask(
    {
      taskId,
      projectId: project.projectId,
      userId,
      parentTaskId: parent?.taskId ?? null,
      dispatchDepth,
      retryOf: asked.retryOf?.taskId ?? null,
      retryCount: asked.retryOf ? asked.retryOf.retryCount + 1 : 0,
      triggeredBy: asked.actor.actorType === 'agent' ? 'agent' : 'user',
      title,
      description: message,
      status: 'queued',
      executionStep: 'node_selection',
      priority,
      taskMode: launch.taskMode.value,
      agentProfileId: asked.agentProfileId ?? null,
      skillId: asked.skillId ?? null,
      contextSummary: asked.contextSummary ?? null,
      coordinationChannel: asked.coordinationChannel ?? parent?.coordinationChannel ?? null,
      attachments: [...(asked.attachments ?? [])],
      openPullRequest: asked.openPullRequest ?? null,
      requestedNodeId: asked.nodeId ?? null,
      baseBranch: asked.baseBranch ?? null,
      run: 1,
      launch,
      chatId: taskId,
      startDeliveryId: newId(),
      outputBranch: branchOf(title, taskId),
    },
    now,
  );
}

interface Making {
  readonly actor: Actor;
  readonly maxConcurrentTasks: number;
  readonly now: Date;
}

const taskWrites = (task: Task, { actor, maxConcurrentTasks, now }: Making): readonly GuardedWrite[] => [
  { write: { put: taskItem(task), when: { exists: false } } },
  { write: { put: firstEvent(task, actor), when: { exists: false } } },
  {
    write: { update: countSubmitted(task.projectId, task.taskId, maxConcurrentTasks) },
    refused: (counts) => (isFull(counts) ? taskLimitReached() : taskConcurrencyReached(maxConcurrentTasks)),
  },
  { write: { put: pendingReconcileOfTask(task, now), when: {} } },
];

function chatWrites(task: Task, { message, actor }: TaskSubmission, now: Date): readonly GuardedWrite[] {
  const { taskId, projectId, userId, title } = task;
  const { writes } = newChatWithPrompt(
    { chatId: taskId, projectId, userId, workspaceId: null, topic: title, taskId },
    {
      deliveryId: String(task.startDeliveryId),
      sourceKind: 'user_followup',
      senderType: actor.actorType === 'agent' ? 'agent' : 'human',
      senderId: actor.actorId,
      messageClass: 'deliver',
      content: message,
    },
    now,
  );
  return writes.map((write) => ({ write }));
}

/** The first line of a message with any text, shortened. No model is called. */
export function titleOf(message: string): string {
  const line =
    message
      .split(/[\r\n]/u)
      .map((text) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim())
      .find((text) => text.length > 0) ?? 'Task';
  if (line.length <= maxTitleLength) return line;
  const start = line.slice(0, maxTitleLength - 1);
  // Not the first half of a surrogate pair.
  return `${start.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`;
}

const maxBranchLength = 60;
const prefix = 'svc/';
const shortId = 8;

/** The branch of a task: its title as a slug, and the end of its id to make it unique. */
export function branchOf(title: string, taskId: string): string {
  const id = taskId.slice(-shortId).toLowerCase();
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/gu, '-')
    .slice(0, maxBranchLength - prefix.length - shortId - 1)
    .replace(/^-+|-+$/gu, '');
  return `${prefix}${slug || 'task'}-${id}`;
}
