import type { RuntimeAssets } from '../../../protocol/agent-callbacks.js';
import { whyReserved } from '../../../protocol/reserved-variables.js';
import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { ProfileKind, ProfileOrSkill, profileKey, variableContext } from '../profiles/profile-or-skill.js';
import { getItems } from '../records/batch-items.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { findTask } from '../tasks/load-task.js';
import type { Task } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { ResolvedLaunch } from './resolve-launch.js';

interface VariableDeps {
  readonly table: Table;
  readonly secrets: SecretBox;
}

type Variable = RuntimeAssets['envVars'][number];
type Assets = Pick<RuntimeAssets, 'envVars' | 'refused'>;

/**
 * The decrypted variables of the profile and the skill with which a session or the workspace's task
 * was started, each from its strongest layer. A refused variable is only named. None for a session
 * of another agent type than the task's. At most two table calls.
 */
export async function runtimeVariables(
  { table, secrets }: VariableDeps,
  workspace: Pick<Workspace, 'projectId' | 'taskId'>,
  session: AgentSession | undefined,
): Promise<Assets> {
  const started = session?.launch ? session : await taskOf(table, workspace);
  if (!started?.launch) return { envVars: [] };
  const agentType = session?.agentType ?? started.launch.agentType.value;
  if (agentType !== started.launch.agentType.value) return { envVars: [] };
  const all = variableSources(started);
  const refused = [...all, ...ignoredOf(started.launch)].flatMap(({ refusal }) => refusal ?? []);
  const wanted = all.filter(({ refusal }) => !refusal);
  const envVars = wanted.length > 0 ? await open({ table, secrets }, wanted) : [];
  return refused.length > 0 ? { envVars, refused } : { envVars };
}

const taskOf = async (table: Table, { projectId, taskId }: Pick<Workspace, 'projectId' | 'taskId'>) =>
  projectId && taskId ? findTask(table, projectId, taskId) : undefined;

type Refusal = NonNullable<RuntimeAssets['refused']>[number];

const notConfirmed =
  'Other members set it, and the agent works with your own credential. Confirm the name in the project, or give it a name that begins with APP_';
const redirects =
  'Other members set it, and it chooses where your own credential is sent. Set it in your own settings';

function refusalOf(key: string, because?: 'not_confirmed'): Refusal | undefined {
  const why = whyReserved(key);
  if (why) return { key, reason: `It ${why}` };
  return because ? { key, reason: notConfirmed } : undefined;
}

/** The boot log names settings beside variables: a person reads both there. */
const ignoredOf = ({ ignored }: ResolvedLaunch): readonly { readonly refusal: Refusal }[] =>
  ignored.map(({ field, from }) => ({ refusal: { key: `${field} (${from})`, reason: redirects } }));

async function open(
  { table, secrets }: VariableDeps,
  wanted: ReturnType<typeof variableSources>,
): Promise<Variable[]> {
  const find = await getItems(
    table,
    wanted.map(({ key }) => key),
  );
  const opened = wanted.map(async ({ name, key }): Promise<readonly Variable[]> => {
    const found = find(key);
    const profile = found && ProfileOrSkill.parse(found);
    const sealed = profile?.environment[name];
    // It was removed since the task was submitted.
    if (!profile || !sealed) return [];
    return [{ key: name, value: await secrets.open(sealed, variableContext(profile, name)), isSecret: true }];
  });
  return (await Promise.all(opened)).flat();
}

type Started = { readonly launch?: Task['launch'] | undefined } & Pick<
  AgentSession,
  'projectId' | 'agentProfileId' | 'skillId'
>;

function variableSources({ projectId, agentProfileId, skillId, launch }: Started) {
  const ids: Readonly<Record<ProfileKind, string | null | undefined>> = {
    profile: agentProfileId,
    skill: skillId,
  };
  const names = Object.entries(launch?.environment ?? {}).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return names.flatMap(([name, { from, refusedBecause }]) => {
    const kind = ProfileKind.safeParse(from).data;
    const id = kind && ids[kind];
    const refusal = refusalOf(name, refusedBecause);
    return kind && id && projectId ? [{ name, key: profileKey(kind, projectId, id), refusal }] : [];
  });
}
