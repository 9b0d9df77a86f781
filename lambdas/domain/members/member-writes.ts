import { type Member, type MemberRole, memberKey, whileMay } from '../projects/member.js';
import type { Write } from '../records/transact.js';

export const nextVersion = ({ version = 0 }: Pick<Member, 'version'>): number => version + 1;

export const roleWrite = (member: Member, role: MemberRole): Write => ({
  update: {
    key: memberKey(member.projectId, member.userId),
    set: { role, version: nextVersion(member) },
    when: { equals: { status: 'active', role: member.role } },
  },
});

/** Who is being removed at this moment changes nobody any more. */
export const actorMayStill = (actor: Member, target: Member): readonly Write[] =>
  actor.userId === target.userId
    ? []
    : [{ check: memberKey(actor.projectId, actor.userId), when: whileMay('member:manage') }];
