// POST /api/projects/{projectId}/tasks/{taskId}/pull-request
import { openPullRequest } from '../../domain/tasks/open-pull-request.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { taskRoute } from '../../edge/task-route.js';
import { pullRequest } from './run-contract.js';

export const handler = taskRoute(pullRequest, async ({ task, project, user, body, table, now }) => {
  const source = { table, secrets: secretBox, codeHost };
  const asked = { task, project, userId: user.userId, title: body.title, body: body.body, now };
  const { created, ...opened } = await openPullRequest(source, asked);
  return { status: created ? 201 : 200, body: opened };
});
