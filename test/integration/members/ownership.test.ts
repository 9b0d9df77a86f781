import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memberKey } from '../../../lambdas/domain/projects/member.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type LoadedRoutes, loadRoutes, pathIds } from '../../support/loaded-routes.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';

const files = [
  ...['list', 'change', 'remove', 'accept-ownership', 'end-ownership-offer'].map((name) => `members/${name}`),
  ...['projects/get', 'invites/create', 'invites/accept', 'credentials/personal'],
];

let routes: LoadedRoutes;
let table: Table;
let owner: Person;
let heir: Person;
let project: Project;

beforeAll(async () => {
  routes = await loadRoutes(files);
  ({ table } = routes);
});

beforeEach(async () => {
  owner = await aPerson(table);
  project = await projectOf(table, owner);
  heir = await memberOf(table, project, 'viewer');
});

const caller =
  (how: 'send' | 'call') =>
  async (file: string, { cookies }: Person, ids: Record<string, string> = {}, body?: unknown) => {
    const params = pathIds(file, { projectId: project.projectId, ...ids });
    const reply = await routes[how](file, { params, body, cookies });
    // The expectations of each test check the fields.
    return { ...reply, body: reply.body as { readonly [name: string]: string } };
  };
const call = caller('call');
const send = caller('send');

const offer = (to = heir, by = owner) => call('members/change', by, { userId: to.userId }, { role: 'owner' });
const accept = (by = heir, of = by) => call('members/accept-ownership', by, { userId: of.userId });
const end = (by: Person, of = heir) => call('members/end-ownership-offer', by, { userId: of.userId });
const roleOf = async (person: Person) => (await call('projects/get', person)).body.role;

async function offered(): Promise<readonly string[]> {
  const { body } = await call('members/list', owner);
  const members = body.members as unknown as readonly { userId: string; ownershipOffer: object | null }[];
  return members.filter(({ ownershipOffer }) => ownershipOffer).map(({ userId }) => userId);
}

const change = (person: Person, expression: string, values: Record<string, unknown>) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: memberKey(project.projectId, person.userId),
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
    }),
  );

describe('the ownership of a project', () => {
  it('changes when the member accepts it, with the name and the repository', async () => {
    const pending = await offer();

    expect(pending).toMatchObject({
      status: 200,
      body: { userId: heir.userId, role: 'viewer', ownershipOffer: { expiresAt: expect.any(String) } },
    });
    expect(await offered()).toEqual([heir.userId]);
    expect([await roleOf(owner), await roleOf(heir)]).toEqual(['owner', 'viewer']);

    expect(await accept()).toMatchObject({ status: 200, body: { role: 'owner', ownershipOffer: null } });

    expect([await roleOf(owner), await roleOf(heir)]).toEqual(['admin', 'owner']);
    expect(await offered()).toEqual([]);
    expect(await getItem(table, userKey(heir.userId))).toMatchObject({ projectCount: 1 });
    expect(await getItem(table, userKey(owner.userId))).toMatchObject({ projectCount: 0 });
    await expect(projectOf(table, heir)).rejects.toMatchObject({ code: 'PROJECT_NAME_TAKEN' });
    await expect(projectOf(table, owner)).resolves.toBeDefined();
  });

  it('keeps the first expiry for a repeated offer, and the role for a repeated acceptance', async () => {
    const first = await offer();
    expect((await offer()).body).toEqual(first.body);
    const accepted = await accept();

    expect((await accept()).body).toEqual(accepted.body);
  });

  it('is offered by the owner only, and accepted by that member only', async () => {
    const admin = await memberOf(table, project, 'admin');
    expect(await offer(heir, admin)).toMatchObject({ status: 403 });
    expect(await accept()).toMatchObject({ status: 404 });
    await offer();

    expect(await accept(admin)).toMatchObject({ status: 404 });
    for (const other of [admin, owner])
      expect(await accept(other, heir)).toMatchObject({
        status: 403,
        body: { error: 'OWNERSHIP_NOT_OFFERED_TO_YOU' },
      });
    expect(await end(admin)).toMatchObject({ status: 403 });
    expect(await roleOf(owner)).toBe('owner');
  });

  it.each([
    ['cancels', () => owner],
    ['declines', () => heir],
  ])('stays when one of the two people %s the offer, also twice', async (_what, who) => {
    await offer();

    for (const _ of ['first', 'repeat'])
      expect(await end(who())).toMatchObject({ status: 200, body: { success: true } });

    expect(await offered()).toEqual([]);
    expect(await accept()).toMatchObject({ status: 404 });
  });

  it('stays when the offer has expired', async () => {
    await offer();
    await change(heir, 'SET ownershipOffer.expiresAt = :past', { ':past': new Date(0).toISOString() });

    expect(await offered()).toEqual([]);
    expect(await accept()).toMatchObject({ status: 410, body: { error: 'OWNERSHIP_OFFER_SPENT' } });
    expect(await offer()).toMatchObject({ status: 200 });
    expect(await accept()).toMatchObject({ status: 200 });
  });

  it('goes to the first of two who accept, and voids the other offer', async () => {
    const other = await memberOf(table, project, 'admin');
    await offer(heir);
    await offer(other);

    const replies = await Promise.all(
      [heir, other].map((one) => send('members/accept-ownership', one, { userId: one.userId })),
    );

    const roles = [await roleOf(owner), await roleOf(heir), await roleOf(other)];
    expect(roles.filter((role) => role === 'owner')).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const [late] = roles[1] === 'owner' ? [other] : [heir];
    expect(await accept(late)).toMatchObject({ status: 410 });
  });

  it('is not taken with an offer of an earlier ownership', async () => {
    const other = await memberOf(table, project, 'admin');
    await offer(heir);
    await offer(other);
    await accept(other);
    await offer(owner, other);
    await accept(owner);
    expect(await roleOf(owner)).toBe('owner');

    expect(await accept(heir)).toMatchObject({ status: 409, body: { error: 'VERSION_CONFLICT' } });
    expect(await roleOf(owner)).toBe('owner');
  });

  it('is not taken by a member who was removed and joined again', async () => {
    await offer();
    expect(await call('members/remove', owner, { userId: heir.userId })).toMatchObject({ status: 200 });
    expect(await accept()).toMatchObject({ status: 404 });
    const invite = await call('invites/create', owner, {}, { role: 'viewer' });
    await call('invites/accept', heir, {}, { token: invite.body.token });

    expect(await accept()).toMatchObject({ status: 404 });
    expect(await roleOf(heir)).toBe('viewer');
  });

  it('does not go to a member who has such a project', async () => {
    await projectOf(table, heir, { name: 'Other' });
    await offer();

    expect(await accept()).toMatchObject({ status: 409, body: { error: 'PROJECT_REPOSITORY_TAKEN' } });
    expect(await roleOf(owner)).toBe('owner');
  });
});

it('a hand-over gives no consent for the new owner’s own credentials', async () => {
  await offer();
  await accept();
  expect(await call('members/remove', heir, { userId: owner.userId })).toMatchObject({ status: 200 });

  expect(await call('credentials/personal', heir)).toMatchObject({
    body: { allowed: false, reason: null },
  });
});
