import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { Attention } from '../../domain/chats/attention.js';
import { CompletionEvidence, Task } from '../../domain/tasks/task.js';
import { taskStatuses } from '../../domain/tasks/task-status.js';

const { taskId: _id, chatId: _chat, description, completionEvidence, ...shown } = Task.shape;

/** As a list shows it: without what may be long. */
export const TaskSummary = z.object({
  id: Ulid,
  ...shown,
  /** The chat session in which it is talked about; there is one once it was submitted or run. */
  chatSessionId: z.nullable(Ulid),
});

export const TaskView = z.extend(TaskSummary, {
  /** The whole first message of a submitted task. */
  description,
  completionEvidence: z.nullable(CompletionEvidence),
});

export const TaskDetail = z.extend(TaskView, {
  dependencies: z.array(z.object({ taskId: Ulid, title: z.string(), status: z.enum(taskStatuses) })),
  /** What the agent needs a person for; their next message in the chat session answers it. */
  attention: z.nullable(Attention),
  /** One of them is not completed. */
  blocked: z.boolean(),
  /** What the agent said last, at most its last 32,768 characters; null when it said nothing among the newest forty messages. */
  finalAssistantMessage: z.nullable(z.string()),
});

export function taskSummary({ description: _, completionEvidence: __, taskId, chatId, ...rest }: Task) {
  return { id: taskId, chatSessionId: chatId, ...rest };
}

export const taskView = (task: Task) => {
  const { description, completionEvidence } = task;
  return { ...taskSummary(task), description, completionEvidence };
};
