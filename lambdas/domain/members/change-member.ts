import type { Table } from '../../shared/table.js';
import {
  capabilityMissing,
  projectChanged,
  projectLimitReached,
  projectNameTaken,
  projectRepositoryTaken,
} from '../projects/errors.js';
import { type Member, type MemberRole, may, memberKey, whileMay } from '../projects/member.js';
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
import { lastOwner, memberChanged } from './errors.js';

export interface RoleChange {
  readonly project: Project;
  /** The member who changes the role. */
  readonly actor: Member;
  readonly target: Member;
  readonly role: MemberRole;
  readonly now: Date;
}

/**
 * Gives a member another role. The role `owner` transfers the ownership. One table call.
 *
 * @throws {lastOwner | capabilityMissing | memberChanged}
 */
export async function changeRole(table: Table, change: RoleChange): Promise<Member> {
  const { actor, target, role } = change;
  if (target.role === role) return target;
  if (role === 'owner') {
    if (!may(actor, 'project:transfer_ownership')) throw capabilityMissing('project:transfer_ownership');
    return transferOwnership(table, change);
  }
  if (target.role === 'owner') throw lastOwner();
  const changed = { ...target, role, version: nextVersion(target) };
  const outcome = await transact(table, [roleWrite(target, role), ...actorMayStill(actor, target)]);
  if (!outcome.committed) throw memberChanged();
  return changed;
}

const nextVersion = ({ version = 0 }: Pick<Member, 'version'>): number => version + 1;

const roleWrite = (member: Member, role: MemberRole): Write => ({
  update: {
    key: memberKey(member.projectId, member.userId),
    set: { role, version: nextVersion(member) },
    when: { equals: { status: 'active', role: member.role } },
  },
});

/** The actor must still be allowed to manage members when the change is written. */
const actorMayStill = (actor: Member, target: Member): readonly Write[] =>
  actor.userId === target.userId
    ? []
    : [{ check: memberKey(actor.projectId, actor.userId), when: whileMay('member:manage') }];

export interface Removal {
  /** The member who removes; the target itself when a member leaves. */
  readonly actor: Member;
  readonly target: Member;
  readonly now: Date;
}

/**
 * Ends a membership. The consumer of the table's stream ends what the member still has open. The
 * row stays, so that older invitations do not admit the person again. A repeat changes nothing. One
 * table call.
 *
 * @throws {lastOwner | memberChanged}
 */
export async function removeMember(table: Table, { actor, target, now }: Removal): Promise<void> {
  if (target.status === 'removed') return;
  if (target.role === 'owner') throw lastOwner();
  const { projectId, userId, role } = target;
  const outcome = await transact(table, [
    {
      update: {
        key: memberKey(projectId, userId),
        set: { status: 'removed', removedAt: now.toISOString(), version: nextVersion(target) },
        remove: ['personalCredentialsAllowedAt'],
        when: { equals: { status: target.status, role } },
      },
    },
    { update: { key: projectKey(projectId), add: { memberCount: -1 }, when: { exists: true } } },
    ...actorMayStill(actor, target),
  ]);
  if (!outcome.committed) throw memberChanged();
}

/**
 * Makes another member the owner, and the owner an admin. Moves the claims on name and repository,
 * and the count of the owner's projects. One table call.
 *
 * @throws {projectNameTaken | projectRepositoryTaken | projectLimitReached | projectChanged}
 */
async function transferOwnership(table: Table, change: RoleChange): Promise<Member> {
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
