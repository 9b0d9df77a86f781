import type { Table } from '../../shared/table.js';
import { memberChanged } from '../members/errors.js';
import { type Member, memberKey } from '../projects/member.js';
import type { Project } from '../projects/project.js';
import { changeItem } from '../records/change-item.js';

/** Whether a member's own credentials are used in the project, and why. */
interface PersonalCredentials {
  readonly allowed: boolean;
  /** `only-member`: nobody else has ever been able to change settings there, so nobody is asked. */
  readonly reason: 'consent' | 'only-member' | null;
  readonly allowedAt: string | null;
}

/**
 * Whether the person wrote all settings of the project. A project that was created before the
 * attribute existed may have settings of earlier members: it has no such person.
 */
export const isOnlyMember = ({ soleMemberId }: Pick<Project, 'soleMemberId'>, userId: string): boolean =>
  soleMemberId === userId;

/** The state of an active member. */
export function personalCredentialsOf(
  member: Pick<Member, 'userId' | 'personalCredentialsAllowedAt'>,
  project: Pick<Project, 'soleMemberId'>,
): PersonalCredentials {
  const { personalCredentialsAllowedAt: allowedAt } = member;
  if (allowedAt) return { allowed: true, reason: 'consent', allowedAt };
  const isAlone = isOnlyMember(project, member.userId);
  return { allowed: isAlone, reason: isAlone ? 'only-member' : null, allowedAt: null };
}

/**
 * Stores the consent of a member to use their own credentials in the project. A repeat keeps the
 * first time. The consent ends with the membership. At most one table call.
 *
 * @throws {memberChanged} the membership or the role changed since it was read
 */
export async function allowPersonalCredentials(table: Table, member: Member, now: Date): Promise<string> {
  if (member.personalCredentialsAllowedAt) return member.personalCredentialsAllowedAt;
  const allowedAt = now.toISOString();
  const outcome = await changeItem(table, {
    key: memberKey(member.projectId, member.userId),
    set: { personalCredentialsAllowedAt: allowedAt },
    when: { equals: { status: 'active', role: member.role } },
  });
  if (!outcome.changed) throw memberChanged();
  return allowedAt;
}

/** Ends the consent. A repeat changes nothing. At most one table call. */
export async function refusePersonalCredentials(table: Table, member: Member): Promise<void> {
  if (!member.personalCredentialsAllowedAt) return;
  await changeItem(table, {
    key: memberKey(member.projectId, member.userId),
    remove: ['personalCredentialsAllowedAt'],
    when: { exists: true },
  });
}
