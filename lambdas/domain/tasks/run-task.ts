import type { RateWindow } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { launchTrust } from '../launch/launch-trust.js';
import { launchKeys, loadedLayers } from '../launch/load-layers.js';
import { requestOfLaunch } from '../launch/request-of-launch.js';
import { resolveLaunch } from '../launch/resolve-launch.js';
import { type Offer, typesFor } from '../nodes/instance-types.js';
import { allowOnTask, type Person } from '../policy/allow.js';
import { type Project, projectLayer, projectLimits } from '../projects/project.js';
import type { PromptRequest } from '../prompts/accept-prompt.js';
import { newChatWithPrompt, restartChat } from '../prompts/start-chat.js';
import { countRequest } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import { moveTask } from './change-task.js';
import { TaskNotInState, taskBlocked } from './errors.js';
import { needsEnd } from './finish-task.js';
import { branchOf } from './submit-task.js';
import { beforeRun, pendingReconcileOfTask, Task, taskKey } from './task.js';
import { dependenciesOf, readGraph, taskGraphKey } from './task-dependencies.js';
import { uncountDraftWrites } from './task-limits.js';

interface RunRequest {
  readonly task: Task;
  readonly project: Project;
  /** Has the project's graph and the task's chat. */
  readonly find: Find;
  /** The agent works with the credentials of this person. */
  readonly runner: Person;
  readonly offer: Offer;
  readonly now: Date;
  readonly newId: () => string;
}

interface Begun {
  readonly task: Task;
  /** The runner's limit after this run. */
  readonly window: RateWindow;
}

/** Fields to name in the error about a profile or skill that was deleted. */
const taskFields = { profile: 'task.agentProfileId', skill: 'task.skillId' } as const;

/**
 * Starts a run of a task that is ready, in its present chat if it has one, with the request layer
 * of its submission. The message is the description, or the title without one. The person who runs
 * a draft first becomes its creator; only the creator can run it after that. Three table calls, one
 * of them to count the run.
 *
 * @throws {RateLimited} the person has submitted or run too many tasks
 * @throws {CapabilityMissing | NotCreator}
 * @throws {TaskNotInState | taskBlocked | taskConcurrencyReached | InvalidRequest}
 */

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one request in their order
export async function runTask(table: Table, request: RunRequest): Promise<Begun> {
  const { task, project, find, runner, now, newId } = request;
  const guard = (present: Task) => {
    allowOnTask('task.run', runner, present);
    requireRunnable(present);
    // The writes below are those of this execution.
    if (present.run !== task.run) throw new TaskNotInState(present.status, 'It was run at the same time.');
  };
  guard(task);
  const { projectId, agentProfileId: profileId, skillId } = task;
  const { userId } = runner;
  const window = await countRequest(table, rateLimits.TASK_RUN, { id: userId, now });
  const of = { projectId, userId, profileId, skillId };
  const waitsFor = dependenciesOf(readGraph(find(taskGraphKey(projectId))), task.taskId).map((id) =>
    taskKey(projectId, id),
  );
  const read = await getItems(table, [...waitsFor, ...launchKeys(of)]);
  requireUnblocked(waitsFor, read);
  const startDeliveryId = newId();
  const layers = {
    request: requestOfLaunch(task.launch),
    project: projectLayer(project),
    ...loadedLayers(read, of, taskFields),
  };
  const launch = resolveLaunch(layers, launchTrust(read, runner, project));
  typesFor(launch.reservation, request.offer);
  const outputBranch = task.outputBranch ?? branchOf(task.title, task.taskId);
  const outcome = await moveTask(table, {
    task,
    to: 'queued',
    actor: { actorType: 'user', actorId: userId },
    maxActive: projectLimits(project).maxConcurrentTasks,
    guard,
    set: {
      ...beforeRun,
      userId,
      executionStep: 'node_selection',
      run: task.run + 1,
      launch,
      taskMode: launch.taskMode.value,
      chatId: task.taskId,
      startDeliveryId,
      outputBranch,
      finalizedAt: null,
    },
    also: [
      { write: { put: pendingReconcileOfTask(task, now), when: {} } },
      ...[...chatWrites(request, startDeliveryId), ...uncountDraftWrites(task)].map((write) => ({ write })),
    ],
    now,
  });
  return { task: outcome.task, window };
}

function requireRunnable(task: Task): void {
  if (task.status !== 'ready') throw new TaskNotInState(task.status, 'Only a task that is ready can be run.');
  if (needsEnd(task)) {
    throw new TaskNotInState(
      task.status,
      'Its last execution is still being cleaned up. Try again in a minute.',
    );
  }
}

function requireUnblocked(waitsFor: readonly Key[], read: Find): void {
  const open = waitsFor
    .flatMap((key) => read(key) ?? [])
    .map((item) => Task.parse(item))
    .filter(({ status }) => status !== 'completed');
  if (open.length > 0) throw taskBlocked(open.map(({ title }) => title));
}

function chatWrites(
  { task, find, runner: { userId }, now }: RunRequest,
  deliveryId: string,
): readonly Write[] {
  const { taskId, projectId, title, description } = task;
  const prompt: PromptRequest = {
    deliveryId,
    sourceKind: 'user_followup',
    senderType: 'human',
    senderId: userId,
    messageClass: 'deliver',
    content: description ?? title,
  };
  const before = find(chatKey(taskId));
  if (before) return restartChat(Chat.parse(before), prompt, now);
  const chat = { chatId: taskId, projectId, userId, workspaceId: null, topic: title, taskId };
  return newChatWithPrompt(chat, prompt, now).writes;
}
