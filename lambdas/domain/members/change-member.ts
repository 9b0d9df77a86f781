import type { Table } from '../../shared/table.js';
import { capabilityMissing } from '../projects/errors.js';
import { type Member, type MemberRole, may, memberKey, whileMay } from '../projects/member.js';
import { type Project, projectKey } from '../projects/project.js';
import { transact, type Write } from '../records/transact.js';
import { lastOwner, memberChanged } from './errors.js';
import { offerOwnership } from './ownership-offer.js';

export interface RoleChange {
  readonly project: Project;
  /** The member who changes the role. */
  readonly actor: Member;
  readonly target: Member;
  readonly role: MemberRole;
  readonly now: Date;
}

/**
 * Gives a member another role. The role `owner` is only offered: the member accepts it. One table
 * call.
 *
 * @throws {lastOwner | capabilityMissing | memberChanged}
 */
export async function changeRole(table: Table, change: RoleChange): Promise<Member> {
  const { actor, target, role } = change;
  if (target.role === role) return target;
  if (role === 'owner') {
    if (!may(actor, 'project:transfer_ownership')) throw capabilityMissing('project:transfer_ownership');
    return offerOwnership(table, change);
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
        remove: ['personalCredentialsAllowedAt', 'confirmedVariables', 'ownershipOffer'],
        when: { equals: { status: target.status, role } },
      },
    },
    { update: { key: projectKey(projectId), add: { memberCount: -1 }, when: { exists: true } } },
    ...actorMayStill(actor, target),
  ]);
  if (!outcome.committed) throw memberChanged();
}
