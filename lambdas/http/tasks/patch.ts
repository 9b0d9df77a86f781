// PATCH /api/projects/{projectId}/tasks/{taskId}
import { requirePresets } from '../../domain/launch/stored-layers.js';
import { changeTask } from '../../domain/tasks/change-task.js';
import { taskRoute } from '../../edge/task-route.js';
import { patch } from './contract.js';
import { taskView } from './task-view.js';

export const handler = taskRoute(patch, async ({ task, body, table, now }) => {
  const { agentProfileId: profileId, skillId } = body;
  await requirePresets(table, { projectId: task.projectId, profileId, skillId });
  const outcome = await changeTask(table, { task, set: body, now });
  return { status: 200, body: taskView(outcome.task) };
});
