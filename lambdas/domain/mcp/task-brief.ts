import type { Task } from '../tasks/task.js';

/** A task as other agents see it, without what may be long. */
export function taskBrief(task: Task) {
  const { taskId, parentTaskId, title, status, executionStep, priority, taskMode } = task;
  const { outputBranch, outputPrUrl, outputSummary, errorMessage, createdAt, updatedAt, completedAt } = task;
  return {
    ...{ id: taskId, parentTaskId, title, status, executionStep, priority, taskMode },
    ...{ outputBranch, outputPrUrl, outputSummary, errorMessage, createdAt, updatedAt, completedAt },
  };
}
