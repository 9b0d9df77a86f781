import type { RuntimeAssets } from '../../../protocol/agent-callbacks.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { Preset, PresetKind, presetKey, variableContext } from '../profiles/preset.js';
import { getItems } from '../records/batch-items.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { findTask } from '../tasks/find-task.js';
import type { Task } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';

export interface VariableParts {
  readonly table: Table;
  readonly secrets: SecretBox;
}

type Variable = RuntimeAssets['envVars'][number];
type Assets = Pick<RuntimeAssets, 'envVars' | 'refused'>;

/**
 * The variables of the task that a workspace is for, opened: of its profile and its skill, each as the strongest layer of
 * its submission has it. A variable that was stored before it was refused is only named. None for a session of another kind
 * of agent, of which the task says nothing. Two table calls for a task with variables, one for another, none without a task.
 */
export async function runtimeVariables(
  { table, secrets }: VariableParts,
  { projectId, taskId }: Pick<Workspace, 'projectId' | 'taskId'>,
  session: AgentSession | undefined,
): Promise<Assets> {
  const task = projectId && taskId ? await findTask(table, projectId, taskId) : undefined;
  if (!task?.launch) return { envVars: [] };
  const agentType = session?.agentType ?? task.launch.agentType.value;
  if (agentType !== task.launch.agentType.value) return { envVars: [] };
  const all = whereVariablesAre(task);
  const refused = all.flatMap(({ name }) => refusalOf(name));
  const wanted = all.filter(({ name }) => refusalOf(name).length === 0);
  const envVars = wanted.length > 0 ? await open({ table, secrets }, wanted) : [];
  return refused.length > 0 ? { envVars, refused } : { envVars };
}

function refusalOf(key: string): NonNullable<RuntimeAssets['refused']> {
  const why = whyReserved(key);
  return why ? [{ key, reason: `It ${why}` }] : [];
}

async function open(
  { table, secrets }: VariableParts,
  wanted: ReturnType<typeof whereVariablesAre>,
): Promise<Variable[]> {
  const find = await getItems(
    table,
    wanted.map(({ key }) => key),
  );
  const opened = wanted.map(async ({ name, key }): Promise<readonly Variable[]> => {
    const found = find(key);
    const preset = found && Preset.parse(found);
    const sealed = preset?.environment[name];
    // One that was taken away since the task was submitted is not there.
    if (!preset || !sealed) return [];
    return [{ key: name, value: await secrets.open(sealed, variableContext(preset, name)), isSecret: true }];
  });
  return (await Promise.all(opened)).flat();
}

function whereVariablesAre({ projectId, agentProfileId, skillId, launch }: Task) {
  const ids: Readonly<Record<PresetKind, string | null>> = { profile: agentProfileId, skill: skillId };
  const names = Object.entries(launch?.environment ?? {}).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return names.flatMap(([name, { from }]) => {
    const kind = PresetKind.safeParse(from).data;
    const id = kind && ids[kind];
    return kind && id ? [{ name, key: presetKey(kind, projectId, id) }] : [];
  });
}
