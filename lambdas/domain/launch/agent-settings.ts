import type { AgentSettings } from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { Project, projectKey, projectLayer } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { Task, taskKey } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { userLayer, userSettingsKey } from './load-layers.js';
import { resolveLaunch } from './resolve-launch.js';

type Of = Pick<Workspace, 'projectId' | 'userId' | 'taskId'>;

/**
 * The settings of an agent of this type in a workspace: those of its task at submission, or else
 * the present ones of project and person. One table call.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
export async function agentSettings(
  table: Table,
  { projectId, userId, taskId }: Of,
  agentType: AgentType,
): Promise<AgentSettings> {
  const keys = {
    user: userSettingsKey(userId),
    ...(projectId ? { project: projectKey(projectId) } : {}),
    ...(projectId && taskId ? { task: taskKey(projectId, taskId) } : {}),
  };
  const find = await getItems(table, Object.values(keys));
  const [task, project] = [keys.task && find(keys.task), keys.project && find(keys.project)];
  const launched = task && Task.parse(task).launch;
  // A person may start an agent of another type in a task's workspace: the task has no settings for
  // it.
  const { model, effort, permissionMode } =
    launched?.agentType.value === agentType
      ? launched
      : resolveLaunch({
          request: { agentType },
          ...(project ? { project: projectLayer(Project.parse(project)) } : {}),
          user: userLayer(find(keys.user)),
        });
  return { model: model.value, effort: effort.value, permissionMode: permissionMode.value };
}
