import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';
import type { Task } from '../tasks/task.js';
import { TaskNeeded } from './errors.js';

/** @throws {TaskNeeded} the caller is in a conversation */
export function ownTask({ task }: Pick<McpCaller, 'task'>): Task {
  if (!task) throw new TaskNeeded();
  return task;
}
