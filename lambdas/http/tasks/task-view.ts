import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { Attention } from '../../domain/chats/chat.js';
import { CompletionEvidence, Task } from '../../domain/tasks/task.js';
import { taskStatuses } from '../../domain/tasks/task-status.js';

const {
  taskId: _id,
  chatId: _chat,
  description,
  completionEvidence,
  placementExplanation,
  ...shown
} = Task.shape;

/** A task in a list: without its long texts. */
export const TaskSummary = z.object({
  id: Ulid,
  ...shown,
  /** The chat session; null before the first run. */
  chatSessionId: z.nullable(Ulid),
});

export const TaskView = z.extend(TaskSummary, {
  /** The whole first message of a submitted task. */
  description,
  completionEvidence: z.nullable(CompletionEvidence),
  /** Why its workspace was placed where it is, or waits; null before the first attempt. */
  placementExplanation,
});

export const TaskDetail = z.extend(TaskView, {
  dependencies: z.array(z.object({ taskId: Ulid, title: z.string(), status: z.enum(taskStatuses) })),
  /** The open question of the agent. The next message of a person answers it. */
  attention: z.nullable(Attention),
  /** A dependency is not completed. */
  blocked: z.boolean(),
  /**
   * The end of the agent's last message, at most 32,768 characters; null if not in the newest 40
   * messages.
   */
  finalAssistantMessage: z.nullable(z.string()),
});

export function taskSummary(task: Task) {
  const { description: _, completionEvidence: __, placementExplanation: ___, ...listed } = task;
  const { taskId, chatId, ...rest } = listed;
  // Before the workspace is made: as resolved at the submission.
  const resolvedReservation = task.resolvedReservation ?? task.launch?.reservation ?? null;
  return { id: taskId, chatSessionId: chatId, ...rest, resolvedReservation };
}

export const taskView = (task: Task) => {
  const { description, completionEvidence, placementExplanation } = task;
  return { ...taskSummary(task), description, completionEvidence, placementExplanation };
};
