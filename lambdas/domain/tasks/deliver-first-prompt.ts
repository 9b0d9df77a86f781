import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import type { StartSettings } from '../node-client/prompt-calls.js';
import { attemptDelivery } from '../prompts/delivery-attempt.js';
import { advanceTask, moveTask } from './change-task.js';
import { FirstPromptNotDelivered, TaskNotFound } from './errors.js';
import { instructionsOf } from './instructions.js';
import type { Task } from './task.js';
import { bySystem } from './task-event.js';
import { loadRun, requireRun, type TaskRun } from './task-run.js';

export interface DeliveryDeps {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly newId: () => string;
}

/** How soon to look again where nothing says when. */
const standardDelayMs = 2_000;

/**
 * One attempt to begin the agent of an execution with its first message; once it has it, the task is in progress. What is
 * returned is in how many seconds to try again.
 *
 * @throws {TaskEnded}
 * @throws {FirstPromptNotDelivered} it will not be delivered, or whether it was cannot be known
 */
export async function deliverFirstPrompt(
  table: Table,
  run: TaskRun,
  parts: DeliveryDeps,
): Promise<{ readonly retryAfter: number | null }> {
  const task = await loadRun(table, run);
  if (task.status === 'in_progress') return { retryAfter: null };
  const { taskId: chatId, startDeliveryId: deliveryId } = task;
  if (!deliveryId) throw new TaskNotFound();
  const start = startOf(task);
  const delivery = await attemptDelivery(
    table,
    { ...parts, ...(start ? { start } : {}) },
    { chatId, deliveryId },
  );
  const { now } = parts;
  if (delivery.outcome === 'retry') {
    const ms = delivery.at ? delivery.at.getTime() - now.getTime() : standardDelayMs;
    return { retryAfter: Math.max(1, Math.ceil(ms / 1000)) };
  }
  if (delivery.outcome !== 'delivered') throw new FirstPromptNotDelivered(delivery.outcome, delivery.reason);
  const guard = (present: Task) => requireRun(present, run);
  const set = { startedAt: now.toISOString() };
  const moved = await moveTask(table, { task, to: 'in_progress', actor: bySystem, set, guard, now });
  await advanceTask(table, { task: moved.task, step: 'running', guard, now });
  return { retryAfter: null };
}

function startOf(task: Task): StartSettings | undefined {
  const { launch, projectId, taskId, taskMode } = task;
  if (!launch) return undefined;
  const { agentType, model, effort, permissionMode } = launch;
  return {
    agentType: agentType.value,
    permissionMode: permissionMode.value,
    ...(model.value === null ? {} : { model: model.value }),
    ...(effort.value === null ? {} : { effort: effort.value }),
    injectedInstructions: instructionsOf(task, launch),
    projectId,
    taskId,
    taskMode,
  };
}
