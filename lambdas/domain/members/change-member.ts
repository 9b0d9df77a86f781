import type { Table } from '../../shared/table.js';
import { capabilityMissing } from '../projects/errors.js';
import { type Member, type MemberRole, may } from '../projects/member.js';
import type { Project } from '../projects/project.js';
import { transact } from '../records/transact.js';
import { lastOwner, memberChanged } from './errors.js';
import { actorMayStill, nextVersion, roleWrite } from './member-writes.js';
import { transferOwnership } from './transfer-ownership.js';

export interface RoleChange {
  readonly project: Project;
  /** Who wants it. */
  readonly actor: Member;
  readonly target: Member;
  readonly role: MemberRole;
  readonly now: Date;
}

/**
 * Gives a member another role. A project has one owner: to make another member that is to hand it over. One table call.
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
