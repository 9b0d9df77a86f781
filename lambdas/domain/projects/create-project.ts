import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { type Refusal, transact } from '../records/transact.js';
import { type User, userKey } from '../users/user.js';
import { claimedBy, projectLimitReached, projectNameTaken, projectRepositoryTaken } from './errors.js';
import { Member, memberItem, memberKey, ProjectSummary, personOf } from './member.js';
import {
  maxProjectsPerUser,
  normalizeName,
  Project,
  projectItem,
  projectKey,
  projectNameClaim,
  projectRepositoryClaim,
} from './project.js';

type ProjectDraft = Pick<
  Project,
  | 'projectId'
  | 'userId'
  | 'name'
  | 'description'
  | 'installationId'
  | 'repository'
  | 'githubRepoId'
  | 'defaultBranch'
>;

/**
 * Writes a project, its owner's membership, and what keeps its name and repository unique: all or
 * nothing, in one table call.
 *
 * @throws {projectNameTaken | projectRepositoryTaken | projectLimitReached}
 */
export async function createProject(
  table: Table,
  draft: ProjectDraft,
  { owner, now }: { readonly owner: User | undefined; readonly now: Date },
): Promise<{ readonly project: Project; readonly member: Member }> {
  const at = now.toISOString();
  const normalizedName = normalizeName(draft.name);
  const project: Project = {
    ...draft,
    normalizedName,
    status: 'active',
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  const member: Member = {
    projectId: project.projectId,
    userId: project.userId,
    role: 'owner',
    status: 'active',
    project: ProjectSummary.parse(project),
    ...(owner ? { person: personOf(owner) } : {}),
    joinedAt: at,
  };
  // `refusal` reads the refusals in this order.
  const outcome = await transact(table, [
    { put: projectNameClaim(project), when: { exists: false } },
    { put: projectRepositoryClaim(project), when: { exists: false } },
    {
      update: {
        key: userKey(project.userId),
        add: { projectCount: 1 },
        when: { exists: true, absentOrBefore: { projectCount: maxProjectsPerUser } },
      },
    },
    {
      put: { ...projectItem(project), memberCount: 1, soleMemberId: project.userId },
      when: { exists: false },
    },
    { put: memberItem(member), when: { exists: false } },
  ]);
  if (!outcome.committed) throw refusal(outcome.refusals);
  return { project, member };
}

/** A project and the membership of its owner. One table call. */
export async function findProjectOf(table: Table, projectId: string, userId: string) {
  const keys = { project: projectKey(projectId), member: memberKey(projectId, userId) };
  const find = await getItems(table, Object.values(keys));
  const [project, member] = [find(keys.project), find(keys.member)];
  return project && member ? { project: Project.parse(project), member: Member.parse(member) } : undefined;
}

function refusal([name, repository]: readonly Refusal[]): Error {
  if (name?.failed) return projectNameTaken(claimedBy(name));
  if (repository?.failed) return projectRepositoryTaken(claimedBy(repository));
  return projectLimitReached();
}
