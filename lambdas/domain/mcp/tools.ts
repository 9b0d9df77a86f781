import type { Tool } from './tool.js';
import { ackMessage } from './tools/ack-message.js';
import { completeTask } from './tools/complete-task.js';
import { dispatchTask } from './tools/dispatch-task.js';
import { getInstructions } from './tools/get-instructions.js';
import { getPendingMessages } from './tools/get-pending-messages.js';
import { getTaskDetails } from './tools/get-task-details.js';
import { listTasks } from './tools/list-tasks.js';
import { requestHumanInput } from './tools/request-human-input.js';
import { retrySubtask } from './tools/retry-subtask.js';
import { sendDurableMessage } from './tools/send-durable-message.js';
import { sendMessageToSubtask } from './tools/send-message-to-subtask.js';
import { stopSubtask } from './tools/stop-subtask.js';
import { updateTaskStatus } from './tools/update-task-status.js';
import { waitForSubtasks } from './tools/wait-for-subtasks.js';

/** Every tool there is. A new one is its file and its line here. */
export const tools: readonly Tool[] = [
  getInstructions,
  updateTaskStatus,
  completeTask,
  requestHumanInput,
  dispatchTask,
  waitForSubtasks,
  listTasks,
  getTaskDetails,
  stopSubtask,
  retrySubtask,
  sendMessageToSubtask,
  sendDurableMessage,
  getPendingMessages,
  ackMessage,
];
