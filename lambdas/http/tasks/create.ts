// POST /api/projects/{projectId}/tasks
import { requireProfileAndSkill } from '../../domain/launch/load-layers.js';
import { projectLimits } from '../../domain/projects/project.js';
import { createTask } from '../../domain/tasks/create-task.js';
import { parentTaskNotFound } from '../../domain/tasks/errors.js';
import { findTask } from '../../domain/tasks/load-task.js';
import { newTask, taskPath } from '../../domain/tasks/task.js';
import { subtaskDepth } from '../../domain/tasks/task-limits.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { create } from './contract.js';
import { taskView } from './task-view.js';

export const handler = capabilityRoute(create, async ({ body, user, project, table, now, newId }) => {
  const { projectId } = project;
  const { title, description = null, priority = 0, parentTaskId = null } = body;
  const { agentProfileId = null, skillId = null, agentProfileHint = null } = body;
  await requireProfileAndSkill(table, { projectId, profileId: agentProfileId, skillId });
  const parent = parentTaskId === null ? undefined : await findTask(table, projectId, parentTaskId);
  if (parentTaskId !== null && !parent) throw parentTaskNotFound();
  const { userId } = user;
  const task = newTask(
    {
      taskId: newId(),
      projectId,
      userId,
      title,
      description,
      priority,
      agentProfileId,
      skillId,
      agentProfileHint,
      parentTaskId,
      dispatchDepth: subtaskDepth(parent, projectLimits(project)),
    },
    now,
  );
  await createTask(table, task, { project, actor: { actorType: 'user', actorId: userId } });
  const location = taskPath(projectId, task.taskId);
  return { status: 201, body: taskView(task), headers: { location } };
});
