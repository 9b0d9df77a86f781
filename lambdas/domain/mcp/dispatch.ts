import { requestKey } from '../idempotency/request-key.js';
import { TaskNotFound } from '../tasks/errors.js';
import { findTask } from '../tasks/find-task.js';
import { submitTask, type TaskSubmission } from '../tasks/submit-task.js';
import { taskPath } from '../tasks/task.js';
import type { ToolContext } from './tool.js';

type Dispatched = Pick<
  TaskSubmission,
  'message' | 'request' | 'priority' | 'agentProfileId' | 'skillId' | 'retryOf'
>;

/**
 * Sets another agent to work on a task below the caller's own, or in a conversation on one that is below none. What the
 * same session asks again within a day, under the same key, is what it has asked before: the answer was lost.
 */
export async function dispatch(context: ToolContext, asked: Dispatched, repeatKey: string) {
  const { caller, table, now, newId, startRun } = context;
  const { project, token, task: parent } = caller;
  const { userId, agentSessionId, chatSessionId } = token;
  const { taskId, task } = await submitTask(
    table,
    {
      ...{ ...asked, project, userId, newId },
      parentTaskId: parent?.taskId,
      actor: { actorType: 'agent', actorId: agentSessionId },
      key: requestKey(`mcp ${chatSessionId} ${repeatKey}`, asked),
    },
    now,
  );
  if (task) await startRun(task);
  const made = task ?? (await findTask(table, project.projectId, taskId));
  if (!made) throw new TaskNotFound();
  const { title, taskMode, dispatchDepth, status, outputBranch } = made;
  return {
    ...{ taskId, sessionId: taskId, branchName: outputBranch, title, status, taskMode, dispatchDepth },
    ...{ runtime: 'vm', repeated: task === undefined },
    url: taskPath(project.projectId, taskId),
    message:
      'An agent works on it as soon as there is room. Call wait_for_subtasks to be woken when it ends.',
  };
}
