import { requestKey } from '../idempotency/request-key.js';
import { TaskNotFound } from '../tasks/errors.js';
import { findTask } from '../tasks/load-task.js';
import { submitTask, type TaskSubmission } from '../tasks/submit-task.js';
import { taskPath } from '../tasks/task.js';
import type { ToolContext } from './tool.js';

type Submission = Pick<
  TaskSubmission,
  | 'message'
  | 'request'
  | 'priority'
  | 'agentProfileId'
  | 'skillId'
  | 'retryOf'
  | 'coordinationChannel'
  | 'baseBranch'
>;

/**
 * Submits a subtask of the caller's task, or a top-level task for a conversation. A repeat by the
 * same session with the same key within a day returns the same task.
 */
export async function dispatch(context: ToolContext, submission: Submission, repeatKey: string) {
  const { caller, table, now, newId, startRun, offer } = context;
  const { project, token, task: parent } = caller;
  const { userId, agentSessionId, chatSessionId } = token;
  const { taskId, task } = await submitTask(
    table,
    {
      ...submission,
      project,
      userId,
      newId,
      offer,
      parentTaskId: parent?.taskId,
      actor: { actorType: 'agent', actorId: agentSessionId },
      key: requestKey(`mcp ${chatSessionId} ${repeatKey}`, submission),
    },
    now,
  );
  if (task) await startRun(task);
  const made = task ?? (await findTask(table, project.projectId, taskId));
  if (!made) throw new TaskNotFound();
  const { title, taskMode, dispatchDepth, status, outputBranch } = made;
  return {
    taskId,
    sessionId: taskId,
    branchName: outputBranch,
    title,
    status,
    taskMode,
    dispatchDepth,
    repeated: task === undefined,
    url: taskPath(project.projectId, taskId),
    message:
      'The task is queued and starts when a node has capacity. Call wait_for_subtasks to get a prompt when it ends.',
  };
}
