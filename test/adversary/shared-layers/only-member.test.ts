import { describe, expect, it } from 'vitest';
import { personalCredentialsOf } from '../../../lambdas/domain/credentials/personal-credentials.js';
import { acceptInvite } from '../../../lambdas/domain/members/accept-invite.js';
import { removeMember } from '../../../lambdas/domain/members/change-member.js';
import { createInvite } from '../../../lambdas/domain/members/manage-invites.js';
import { acceptOwnership, offerOwnership } from '../../../lambdas/domain/members/ownership-offer.js';
import { Member, memberKey } from '../../../lambdas/domain/projects/member.js';
import { Project, projectKey } from '../../../lambdas/domain/projects/project.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aPerson, type Person, projectOf } from '../../support/project-members.js';
import { emptyTable } from '../../support/table.js';

const table = await emptyTable();
const now = new Date();

const memberOf = async (projectId: string, { userId }: Person) =>
  Member.parse(await getItem(table, memberKey(projectId, userId)));
const read = async (projectId: string) => Project.parse(await getItem(table, projectKey(projectId)));

async function join(projectId: string, owner: Person, person: Person): Promise<void> {
  const draft = { projectId, inviteId: newId(), role: 'admin', createdBy: owner.userId, days: 1 } as const;
  const { token } = await createInvite(table, draft, now);
  await acceptInvite(table, { token, userId: person.userId, now });
}

async function leave(projectId: string, person: Person): Promise<void> {
  const member = await memberOf(projectId, person);
  await removeMember(table, { actor: member, target: member, now });
}

const stateOf = async (projectId: string, person: Person) =>
  personalCredentialsOf(await memberOf(projectId, person), await read(projectId));

describe('a person’s own credential without consent', () => {
  it('is used by the creator until somebody joins, and not after everybody else left', async () => {
    const [creator, guest] = [await aPerson(table), await aPerson(table)];
    const { projectId } = await projectOf(table, creator);
    expect(await stateOf(projectId, creator)).toMatchObject({ allowed: true, reason: 'only-member' });

    await join(projectId, creator, guest);
    expect(await stateOf(projectId, creator)).toMatchObject({ allowed: false });
    await leave(projectId, guest);

    expect(await read(projectId)).toMatchObject({ memberCount: 1 });
    expect(await stateOf(projectId, creator)).toMatchObject({ allowed: false, reason: null });
  });

  it('is not used by the heir of a project whose settings the former owner wrote', async () => {
    const [creator, heir] = [await aPerson(table), await aPerson(table)];
    const { projectId } = await projectOf(table, creator);
    await join(projectId, creator, heir);
    const project = await read(projectId);
    const [actor, target] = [await memberOf(projectId, creator), await memberOf(projectId, heir)];
    const member = await offerOwnership(table, { project, actor, target, now });
    await acceptOwnership(table, { project, member, now });
    await leave(projectId, creator);

    expect(await read(projectId)).toMatchObject({ memberCount: 1, userId: heir.userId });
    expect(await stateOf(projectId, heir)).toMatchObject({ allowed: false, reason: null });
  });

  it('is not used in a project of one member that was created before the rule', async () => {
    const creator = await aPerson(table);
    const project = await projectOf(table, creator);
    const before: Project = { ...project, memberCount: 1 };
    const member = await memberOf(project.projectId, creator);

    expect(personalCredentialsOf(member, before)).toMatchObject({ allowed: false });
  });
});
