import type { Table } from '../../shared/table.js';
import {
  projectChanged,
  projectLimitReached,
  projectNameTaken,
  projectRepositoryTaken,
} from '../projects/errors.js';
import { type Member, memberKey } from '../projects/member.js';
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

interface Transfer {
  readonly project: Project;
  /** The new owner. */
  readonly target: Member;
  readonly offer: NonNullable<Member['ownershipOffer']>;
  readonly now: Date;
}

const nextVersion = ({ version = 0 }: Pick<Member, 'version'>): number => version + 1;

/**
 * Makes another member the owner, and the owner an admin. Moves the claims on name and repository,
 * and the count of the owner's projects. One table call.
 *
 * @throws {projectNameTaken | projectRepositoryTaken | projectLimitReached | projectChanged}
 */
export async function transferOwnership(table: Table, change: Transfer): Promise<Member> {
  const { project, target, now } = change;
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
    ...roleWrites(change),
  ]);
  if (!outcome.committed) throw refusal(outcome.refusals);
  const { ownershipOffer: _, ...member } = target;
  return { ...member, role: 'owner', version: nextVersion(target) };
}

/** The offer must still be there, and be one of the present ownership. */
function roleWrites({ target, offer, now }: Transfer): readonly Write[] {
  const { projectId, userId, role } = target;
  return [
    {
      update: {
        key: memberKey(projectId, userId),
        set: { role: 'owner', version: nextVersion(target) },
        remove: ['ownershipOffer'],
        when: {
          equals: { status: 'active', role, 'ownershipOffer.by': offer.by },
          after: { 'ownershipOffer.expiresAt': now.toISOString() },
        },
      },
    },
    {
      update: {
        key: memberKey(projectId, offer.by),
        set: { role: 'admin', version: offer.byVersion + 1 },
        when: {
          equals: { status: 'active', role: 'owner' },
          absentOrBefore: { version: offer.byVersion + 1 },
        },
      },
    },
  ];
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
