import type { AgentSettings } from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { Project, projectKey, projectLayer } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { Task, taskKey } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { noTrust } from './launch-trust.js';
import { userLayer, userSettingsKey } from './load-layers.js';
import { type ResolvedLaunch, resolveLaunch } from './resolve-launch.js';

type Of = Pick<Workspace, 'projectId' | 'userId' | 'taskId'>;

/**
 * The settings of an agent of this type in a workspace: those of its session at its creation, or of
 * its task at submission, or else the present ones of project and person. At most one table call.
 */
export async function agentSettings(
  table: Table,
  workspace: Of,
  { agentType, session }: { readonly agentType: AgentType; readonly session?: AgentSession | undefined },
): Promise<AgentSettings> {
  const own = launchFor(agentType, session?.launch);
  const launch = own ?? (await workspaceLaunch(table, workspace, agentType));
  return {
    model: launch.model.value,
    effort: launch.effort.value,
    permissionMode: launch.permissionMode.value,
    opencodeProvider: launch.opencodeProvider.value,
    opencodeBaseUrl: launch.opencodeBaseUrl.value,
  };
}

/**
 * The stored launch of an agent of this type, which nobody can change any more. A person may select
 * an agent of another type than that of the session or the task.
 */
export const launchFor = (
  agentType: AgentType,
  ...stored: readonly (ResolvedLaunch | null | undefined)[]
): ResolvedLaunch | undefined => stored.find((launch) => launch?.agentType.value === agentType) ?? undefined;

async function workspaceLaunch(
  table: Table,
  { projectId, userId, taskId }: Of,
  agentType: AgentType,
): Promise<ResolvedLaunch> {
  const keys = {
    user: userSettingsKey(userId),
    ...(projectId ? { project: projectKey(projectId) } : {}),
    ...(projectId && taskId ? { task: taskKey(projectId, taskId) } : {}),
  };
  const find = await getItems(table, Object.values(keys));
  const [task, project] = [keys.task && find(keys.task), keys.project && find(keys.project)];
  const launched = launchFor(agentType, task && Task.parse(task).launch);
  if (launched) return launched;
  const layers = {
    request: { agentType },
    ...(project ? { project: projectLayer(Project.parse(project)) } : {}),
    user: userLayer(find(keys.user)),
  };
  // The project can change before the agent fetches its credential, and nothing of this is stored.
  return resolveLaunch(layers, noTrust);
}
