import type { Table } from '../../shared/table.js';
import { Member, memberItem, memberKey, ProjectSummary, personOf, whileMay } from '../projects/member.js';
import { maxMembers, Project, projectKey } from '../projects/project.js';
import { requireAttached } from '../projects/require-attached.js';
import { getItems } from '../records/batch-items.js';
import { type Refusal, transact, type Write } from '../records/transact.js';
import { User, userKey } from '../users/user.js';
import { alreadyMember, inviteNotFound, inviteSpent, memberChanged, memberLimitReached } from './errors.js';
import { hashInviteToken, Invite, inviteKey, inviteOfToken, isOpen } from './invite.js';

interface Acceptance {
  readonly token: string;
  readonly userId: string;
  readonly now: Date;
}

/**
 * Adds one person as a member by an invitation, while its author may still invite. A repeat by the
 * same person returns the same membership. Two table calls.
 *
 * @throws {inviteNotFound | inviteSpent | alreadyMember | memberLimitReached | memberChanged |
 * ProjectDetached}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each state of an invite and of the member has its own answer
export async function acceptInvite(table: Table, acceptance: Acceptance): Promise<Member> {
  const { invite, project, before, user } = await load(table, acceptance);
  if (before?.status === 'active') {
    if (invite.acceptedBy === acceptance.userId) return before;
    throw alreadyMember();
  }
  const isOlder = before?.removedAt !== undefined && before.removedAt >= invite.createdAt;
  if (isOlder || !isOpen(invite, acceptance.now)) throw inviteSpent();
  requireAttached(project);

  const member: Member = {
    projectId: project.projectId,
    userId: acceptance.userId,
    role: invite.role,
    status: 'active',
    project: ProjectSummary.parse(project),
    ...(user ? { person: personOf(user) } : {}),
    joinedAt: acceptance.now.toISOString(),
    version: (before?.version ?? 0) + 1,
  };
  const outcome = await transact(table, writes({ invite, project, before, member }));
  if (outcome.committed) return member;
  throw refusal(outcome.refusals);
}

async function load(table: Table, { token, userId }: Acceptance) {
  const claimed = inviteOfToken(token);
  if (!claimed) throw inviteNotFound();
  const { projectId, inviteId } = claimed;
  const keys = {
    invite: inviteKey(projectId, inviteId),
    project: projectKey(projectId),
    member: memberKey(projectId, userId),
    user: userKey(userId),
  };
  const find = await getItems(table, Object.values(keys));
  const found = find(keys.invite);
  const invite = found && Invite.parse(found);
  const project = find(keys.project);
  if (invite?.tokenHash !== hashInviteToken(token) || !project) throw inviteNotFound();
  const member = find(keys.member);
  const user = find(keys.user);
  return {
    invite,
    project: Project.parse(project),
    before: member && Member.parse(member),
    user: user && User.parse(user),
  };
}

interface Joining {
  readonly invite: Invite;
  readonly project: Project;
  readonly before: Member | undefined;
  readonly member: Member;
}

function writes({ invite, project, before, member }: Joining): readonly Write[] {
  const { projectId, inviteId, createdBy } = invite;
  // `refusal` reads the reasons in this order.
  return [
    {
      update: {
        key: inviteKey(projectId, inviteId),
        set: { acceptedBy: member.userId },
        when: { exists: true, absent: ['acceptedBy'] },
      },
    },
    { check: memberKey(projectId, createdBy), when: whileMay('member:manage') },
    { check: userKey(createdBy), when: { equals: { status: 'active' } } },
    {
      update: {
        key: projectKey(projectId),
        add: { memberCount: 1, version: 1 },
        // From now on the settings may be those of another person, also after that person left.
        remove: ['soleMemberId'],
        // The new member holds a copy of what was read of it.
        when: { equals: { updatedAt: project.updatedAt }, absentOrBefore: { memberCount: maxMembers } },
      },
    },
    {
      put: memberItem(member),
      when: before ? { equals: { status: before.status, joinedAt: before.joinedAt } } : { exists: false },
    },
  ];
}

function refusal([invite, inviter, inviterUser, project]: readonly Refusal[]): Error {
  if (invite?.failed || inviter?.failed || inviterUser?.failed) return inviteSpent();
  const memberCount = project?.failed && project.item?.memberCount;
  if (typeof memberCount === 'number' && memberCount >= maxMembers) return memberLimitReached();
  return memberChanged();
}
