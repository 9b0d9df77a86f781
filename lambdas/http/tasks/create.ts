// POST /api/projects/{projectId}/tasks
import { createOnce } from '../../domain/idempotency/create-once.js';
import { requireProfileAndSkill } from '../../domain/launch/load-layers.js';
import { projectLimits } from '../../domain/projects/project.js';
import { createTask } from '../../domain/tasks/create-task.js';
import { parentTaskNotFound } from '../../domain/tasks/errors.js';
import { findTask } from '../../domain/tasks/load-task.js';
import { newTask, taskPath } from '../../domain/tasks/task.js';
import { subtaskDepth } from '../../domain/tasks/task-limits.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { create } from './contract.js';
import { taskView } from './task-view.js';

export const handler = capabilityRoute(
  create,
  async ({ request, body, user, project, table, now, newId }) => {
    const { projectId } = project;
    const { title, description = null, priority = 0, parentTaskId = null } = body;
    const { agentProfileId = null, skillId = null, agentProfileHint = null } = body;
    await requireProfileAndSkill(table, { projectId, profileId: agentProfileId, skillId });
    const parent = parentTaskId === null ? undefined : await findTask(table, projectId, parentTaskId);
    if (parentTaskId !== null && !parent) throw parentTaskNotFound();
    const { userId } = user;
    const draft = {
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
    };
    const task = await createOnce(table, {
      kind: 'task',
      userId,
      key: idempotencyKeyOf(request, { projectId, body }),
      newId,
      now,
      find: (taskId) => findTask(table, projectId, taskId),
      create: async (taskId) => {
        const made = newTask({ ...draft, taskId }, now);
        await createTask(table, made, { project, actor: { actorType: 'user', actorId: userId } });
        return made;
      },
    });
    const location = taskPath(projectId, task.taskId);
    return { status: 201, body: taskView(task), headers: { location } };
  },
);
