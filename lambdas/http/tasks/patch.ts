// PATCH /api/projects/{projectId}/tasks/{taskId}
import { requireProfileAndSkill } from '../../domain/launch/load-layers.js';
import { allowOnTask } from '../../domain/policy/allow.js';
import { changeTask } from '../../domain/tasks/change-task.js';
import type { Task } from '../../domain/tasks/task.js';
import { taskRoute } from '../../edge/task-route.js';
import { patch } from './contract.js';
import { taskView } from './task-view.js';

export const handler = taskRoute(patch, async ({ task, body, user, member, table, now }) => {
  const guard = (present: Task) => {
    allowOnTask('task.change', { userId: user.userId, member }, present);
  };
  guard(task);
  const { agentProfileId: profileId, skillId } = body;
  await requireProfileAndSkill(table, { projectId: task.projectId, profileId, skillId });
  const outcome = await changeTask(table, { task, set: body, guard, now });
  return { status: 200, body: taskView(outcome.task) };
});
