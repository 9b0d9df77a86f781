import type { Table } from '../../shared/table.js';
import {
  projectChanged,
  projectLimitReached,
  projectNameTaken,
  projectRepositoryTaken,
} from '../projects/errors.js';
import type { Member } from '../projects/member.js';
import {
  maxProjectsPerUser,
  type Project,
  projectKey,
  projectNameClaim,
  projectNameKey,
  projectRepositoryClaim,
  projectRepositoryKey,
  unchangedProject,
} from '../projects/project.js';
import { type Refusal, transact, type Write } from '../records/transact.js';
import { userKey } from '../users/user.js';
import type { RoleChange } from './change-role.js';
import { nextVersion, roleWrite } from './member-writes.js';

/**
 * Makes another member the owner, and the owner an admin. With it go the claims on name and repository, and the place among
 * an owner's projects. One table call.
 *
 * @throws {projectNameTaken | projectRepositoryTaken | projectLimitReached | projectChanged}
 */
export async function transferOwnership(table: Table, change: RoleChange): Promise<Member> {
  const { project, actor, target, now } = change;
  const after: Project = { ...project, userId: target.userId };
  const outcome = await transact(table, [
    // `refusal` reads the reasons of the first three in this order.
    { put: projectNameClaim(after), when: { exists: false } },
    { put: projectRepositoryClaim(after), when: { exists: false } },
    countProject(target.userId, 1),
    { delete: projectNameKey(project.userId, project.normalizedName), when: {} },
    { delete: projectRepositoryKey(project.userId, project.repository), when: {} },
    countProject(project.userId, -1),
    {
      update: {
        key: projectKey(project.projectId),
        set: { userId: target.userId, updatedAt: now.toISOString() },
        add: { version: 1 },
        when: unchangedProject(project),
      },
    },
    roleWrite(target, 'owner'),
    roleWrite(actor, 'admin'),
  ]);
  if (!outcome.committed) throw refusal(outcome.refusals);
  return { ...target, role: 'owner', version: nextVersion(target) };
}

const countProject = (userId: string, by: 1 | -1): Write => ({
  update: {
    key: userKey(userId),
    add: { projectCount: by },
    when: { exists: true, ...(by > 0 ? { absentOrBefore: { projectCount: maxProjectsPerUser } } : {}) },
  },
});

function refusal([name, repository, count]: readonly Refusal[]): Error {
  if (name?.failed) return projectNameTaken();
  if (repository?.failed) return projectRepositoryTaken();
  return count?.failed ? projectLimitReached() : projectChanged();
}
