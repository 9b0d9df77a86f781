import { whyReserved } from '../../../protocol/reserved-variables.js';
import { Conflict, InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { memberChanged } from '../members/errors.js';
import { type Member, memberKey } from '../projects/member.js';
import { isOnlyMember, type Project } from '../projects/project.js';
import { changeItem } from '../records/change-item.js';

/** Whether a member's own credentials are used in the project, and why. */
interface PersonalCredentials {
  readonly allowed: boolean;
  /** `only-member`: nobody else has ever been able to change settings there, so nobody is asked. */
  readonly reason: 'consent' | 'only-member' | null;
  readonly allowedAt: string | null;
  /** Names that the member accepts from layers that others write, beside `APP_` names. */
  readonly confirmedVariables: readonly string[];
}

/** The state of an active member. */
export function personalCredentialsOf(
  member: Pick<Member, 'userId' | 'personalCredentialsAllowedAt' | 'confirmedVariables'>,
  project: Pick<Project, 'soleMemberId'>,
): PersonalCredentials {
  const { personalCredentialsAllowedAt: allowedAt, confirmedVariables = [] } = member;
  if (allowedAt) return { allowed: true, reason: 'consent', allowedAt, confirmedVariables };
  const isAlone = isOnlyMember(project, member.userId);
  return { allowed: isAlone, reason: isAlone ? 'only-member' : null, allowedAt: null, confirmedVariables };
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

/**
 * Replaces the names of variables that the member accepts from profiles and skills beside the
 * member's own credentials. A name that is added to a profile later is not accepted. At most one
 * table call.
 *
 * @throws {variableNotConfirmable} a reserved name
 * @throws {consentMissing}
 */
export async function confirmVariables(
  table: Table,
  member: Member,
  names: readonly string[],
): Promise<readonly string[]> {
  const confirmedVariables = [...new Set(names)].toSorted();
  const reserved = confirmedVariables.find((name) => whyReserved(name));
  if (reserved !== undefined) throw variableNotConfirmable(reserved);
  const outcome = await changeItem(table, {
    key: memberKey(member.projectId, member.userId),
    set: { confirmedVariables },
    when: { equals: { status: 'active' }, present: ['personalCredentialsAllowedAt'] },
  });
  if (!outcome.changed) throw consentMissing(member.projectId);
  return confirmedVariables;
}

function variableNotConfirmable(name: string) {
  const message = `${name} cannot be confirmed: the variable ${whyReserved(name)}`;
  return new InvalidRequest(message, [{ field: 'names', message }], 'VARIABLE_NOT_ALLOWED');
}

const consentMissing = (projectId: string) =>
  new Conflict(
    `Your own credentials are not allowed in this project. Allow them with PUT /api/projects/${projectId}/personal-credentials first.`,
    { code: 'CONSENT_MISSING' },
  );

/** Ends the consent. A repeat changes nothing. At most one table call. */
export async function refusePersonalCredentials(table: Table, member: Member): Promise<void> {
  if (!member.personalCredentialsAllowedAt) return;
  await changeItem(table, {
    key: memberKey(member.projectId, member.userId),
    remove: ['personalCredentialsAllowedAt', 'confirmedVariables'],
    when: { exists: true },
  });
}
