import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aProject, putItem } from '../project.js';
import { memberOf } from '../project-members.js';
import { type Owner, type Plan, usesOf } from './plans.js';
import { randomOf } from './random.js';

const minute = 60_000;

/** The default times of the platform, and two projects with their own. */
const settings = [
  { idleMinutes: 120, warmMinutes: 30 },
  { idleMinutes: 30, warmMinutes: 10 },
  { idleMinutes: 60, warmMinutes: 0 },
] as const;

/** Each person has a project, and the workspaces of a day in it. */
export async function peopleWithPlans(
  table: Table,
  {
    people,
    workspaces,
    seed,
  }: { readonly people: number; readonly workspaces: number; readonly seed: number },
): Promise<readonly Plan[]> {
  const next = randomOf(seed);
  const owners: Owner[] = [];
  for (let index = 0; index < people; index += 1) owners.push(await aPersonWithProject(table, index));
  return Array.from({ length: workspaces }, (_, index) => {
    const owner = owners[index % people];
    if (!owner) throw new Error('Nobody owns the workspace');
    const ids = { workspaceId: newId(), chatId: newId(), agentSessionId: newId() };
    // Not by the index: otherwise each person would have one kind of use.
    const uses = usesOf(next(10), owner.idleMinutes, next);
    return { ...ids, ...uses, owner };
  });
}

async function aPersonWithProject(table: Table, index: number): Promise<Owner> {
  const times = settings[index % settings.length] ?? settings[0];
  const isDefault = index % settings.length === 0;
  const own = {
    workspaceIdleTimeoutMs: times.idleMinutes * minute,
    warmNodeTimeoutMs: times.warmMinutes * minute,
  };
  const project = aProject(isDefault ? {} : { settings: own });
  await putItem(table, projectItem(project));
  const { userId } = await memberOf(table, project, 'owner');
  return { userId, projectId: project.projectId, ...times };
}
