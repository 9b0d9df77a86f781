import type { AgentSettings } from '../../../protocol/agent-callbacks.js';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { Preset, PresetKind, presetKey, variableContext } from '../profiles/preset.js';
import { Project, projectKey, projectLayer } from '../projects/project.js';
import { getItems } from '../records/get-items.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { Task, taskKey } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { type ResolvedLaunch, resolveLaunch } from './resolve-launch.js';
import { userLayer, userSettingsKey } from './user-settings.js';

export interface SettingsParts {
  readonly table: Table;
  readonly secrets: SecretBox;
}

type Of = Pick<Workspace, 'projectId' | 'userId' | 'taskId'>;

/**
 * With what an agent of this kind is started in a workspace: as its task was resolved when it was submitted, or else as
 * project and person have it now. Two table calls, and a third for a task with variables.
 */
export async function agentSettings(
  { table, secrets }: SettingsParts,
  workspace: Of,
  agentType: AgentType,
): Promise<AgentSettings> {
  const { launch, task } = await launchOf(table, workspace, agentType);
  const { model, effort, permissionMode } = launch;
  return {
    model: model.value,
    effort: effort.value,
    permissionMode: permissionMode.value,
    environment: task ? await openVariables({ table, secrets }, task, launch) : {},
  };
}

async function launchOf(table: Table, { projectId, userId, taskId }: Of, agentType: AgentType) {
  const keys = {
    user: userSettingsKey(userId),
    ...(projectId ? { project: projectKey(projectId) } : {}),
    ...(projectId && taskId ? { task: taskKey(projectId, taskId) } : {}),
  };
  const find = await getItems(table, Object.values(keys));
  const found = keys.task && find(keys.task);
  const task = found && Task.parse(found);
  // A person may start an agent of another kind in a task's workspace; the task says nothing of that.
  if (task?.launch?.agentType.value === agentType) return { launch: task.launch, task };
  const project = keys.project && find(keys.project);
  const launch = resolveLaunch({
    request: { agentType },
    ...(project ? { project: projectLayer(Project.parse(project)) } : {}),
    user: userLayer(find(keys.user)),
  });
  return { launch, task: undefined };
}

/** One that was taken away since the task was submitted is not there. */
async function openVariables(
  { table, secrets }: SettingsParts,
  { projectId, agentProfileId, skillId }: Task,
  { environment }: ResolvedLaunch,
): Promise<Record<string, string>> {
  const ids: Readonly<Record<PresetKind, string | null>> = { profile: agentProfileId, skill: skillId };
  const wanted = Object.entries(environment).flatMap(([name, { from }]) => {
    const kind = PresetKind.safeParse(from).data;
    const id = kind && ids[kind];
    return kind && id ? [{ name, key: presetKey(kind, projectId, id) }] : [];
  });
  if (wanted.length === 0) return {};
  const find = await getItems(
    table,
    wanted.map(({ key }) => key),
  );
  const opened = wanted.map(async ({ name, key }) => {
    const found = find(key);
    const preset = found && Preset.parse(found);
    const sealed = preset?.environment[name];
    return preset && sealed
      ? [[name, await secrets.open(sealed, variableContext(preset, name))] as const]
      : [];
  });
  return Object.fromEntries((await Promise.all(opened)).flat());
}
