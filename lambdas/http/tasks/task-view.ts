import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { Attention } from '../../domain/chats/chat.js';
import { CompletionEvidence, Task } from '../../domain/tasks/task.js';
import { taskStatuses } from '../../domain/tasks/task-status.js';

const { taskId: _id, chatId: _chat, description, completionEvidence, ...shown } = Task.shape;

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

export function taskSummary({ description: _, completionEvidence: __, taskId, chatId, ...rest }: Task) {
  return { id: taskId, chatSessionId: chatId, ...rest };
}

export const taskView = (task: Task) => {
  const { description, completionEvidence } = task;
  return { ...taskSummary(task), description, completionEvidence };
};
