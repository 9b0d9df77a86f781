// POST /api/projects/{projectId}/tasks/submit
import { submitTask } from '../../domain/tasks/submit-task.js';
import { taskPath } from '../../domain/tasks/task.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { offer } from '../../edge/offer.js';
import { rateLimitHeaders } from '../../edge/reply.js';
import { submit } from './run-contract.js';
import { startRun } from './start-run.js';

export const handler = capabilityRoute(submit, async (call) => {
  const { body, user, project, table, now, newId, log, request } = call;
  const { userId } = user;
  const { message, parentTaskId, contextSummary, agentProfileId, skillId, priority, attachments, nodeId } =
    body;
  const { openPullRequest } = body;
  const { agentType, workspaceProfile, devcontainerConfigName, taskMode, resourceRequirements } = body;
  const { taskId, branchName, task, window } = await submitTask(
    table,
    {
      ...{
        project,
        userId,
        message,
        parentTaskId,
        contextSummary,
        agentProfileId,
        skillId,
        priority,
        attachments,
        nodeId,
        openPullRequest,
      },
      actor: { actorType: 'user', actorId: userId },
      request: { agentType, workspaceProfile, devcontainerConfigName, taskMode, resourceRequirements },
      key: idempotencyKeyOf(request, body),
      offer,
      newId,
    },
    now,
  );
  if (task) await startRun(task, log);
  const location = taskPath(project.projectId, taskId);
  const begun = { taskId, sessionId: taskId, branchName, status: 'queued' } as const;
  return { status: 202, body: begun, headers: { location, ...(window ? rateLimitHeaders(window) : {}) } };
});
