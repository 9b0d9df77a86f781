import type { Tool } from './tool.js';
import { getInstructions } from './tools/get-instructions.js';
import { getTaskDetails } from './tools/get-task-details.js';
import { listTasks } from './tools/list-tasks.js';
import { requestHumanInput } from './tools/request-human-input.js';
import { updateTaskStatus } from './tools/update-task-status.js';
import { waitForSubtasks } from './tools/wait-for-subtasks.js';

/** Every tool there is. A new one is its file and its line here. */
export const tools: readonly Tool[] = [
  getInstructions,
  updateTaskStatus,
  requestHumanInput,
  listTasks,
  getTaskDetails,
  waitForSubtasks,
];
