import { chatKey } from '../../domain/chats/chat.js';
import { runTask } from '../../domain/tasks/run-task.js';
import { taskPath } from '../../domain/tasks/task.js';
import { taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { offer } from '../../edge/offer.js';
import { rateLimitHeaders } from '../../edge/reply.js';
import { taskRoute } from '../../edge/task-route.js';
import type { run } from './run-contract.js';
import { startRun } from './start-run.js';

/** The route that runs a task, under both of its names. */
export const runRoute = (contract: typeof run) =>
  taskRoute(
    contract,
    async ({ task, project, user, member, find, table, now, newId, log }) => {
      const runner = { userId: user.userId, member };
      const { task: begun, window } = await runTask(table, {
        task,
        project,
        find,
        runner,
        offer,
        now,
        newId,
      });
      await startRun(begun, log);
      const { taskId, outputBranch } = begun;
      return {
        status: 202,
        headers: { location: taskPath(project.projectId, taskId), ...rateLimitHeaders(window) },
        body: { taskId, sessionId: taskId, branchName: String(outputBranch), status: 'queued' },
      };
    },
    (projectId, taskId) => [taskGraphKey(projectId), chatKey(taskId)],
  );
