import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inviteKey } from '../../../lambdas/domain/members/invite.js';
import { memberKey } from '../../../lambdas/domain/projects/member.js';
import { type Project, projectKey } from '../../../lambdas/domain/projects/project.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type LoadedRoutes, loadRoutes, pathIds } from '../../support/loaded-routes.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';

const files = [
  ...['members/list', 'members/change', 'members/remove', 'members/leave'],
  ...['invites/list', 'invites/create', 'invites/revoke', 'invites/accept'],
  ...['projects/get', 'projects/list', 'projects/change'],
];

let routes: LoadedRoutes;
let table: Table;
let owner: Person;
let project: Project;

beforeAll(async () => {
  routes = await loadRoutes(files);
  ({ table } = routes);
});

beforeEach(async () => {
  owner = await aPerson(table, { login: 'the-owner' });
  project = await projectOf(table, owner);
});

const caller =
  (how: 'send' | 'call') =>
  async (file: string, { cookies }: Person, ids: Record<string, string> = {}, body?: unknown) => {
    const params = pathIds(file, { projectId: project.projectId, ...ids });
    const reply = await routes[how](file, { params, body, cookies });
    // The expectations of each test check the fields.
    return { ...reply, body: reply.body as { readonly [name: string]: string } };
  };
const send = caller('send');
const call = caller('call');

const invite = async (by: Person, body: object = { role: 'maintainer' }) =>
  call('invites/create', by, {}, body);
const accept = (by: Person, token: string | undefined) => call('invites/accept', by, {}, { token });
const setRole = (by: Person, { userId }: Person, role: string) =>
  call('members/change', by, { userId }, { role });
const remove = (by: Person, { userId }: Person) => call('members/remove', by, { userId });

async function stored(key: { readonly pk: string; readonly sk: string }) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return Item;
}

describe('an invitation', () => {
  it('makes one person a member, once', async () => {
    const made = await invite(owner, { role: 'viewer' });
    const guest = await aPerson(table, { login: 'guest', name: 'A Guest' });
    expect(made).toMatchObject({ status: 201, body: { role: 'viewer', token: expect.any(String) } });
    expect(await call('projects/get', guest)).toMatchObject({ status: 404 });

    const accepted = await accept(guest, made.body.token);
    const again = await accept(guest, made.body.token);

    expect(accepted).toMatchObject({
      status: 200,
      body: { projectId: project.projectId, name: 'Hello', role: 'viewer' },
    });
    expect(again.body).toEqual(accepted.body);
    expect(await call('projects/get', guest)).toMatchObject({ status: 200, body: { role: 'viewer' } });
    expect((await call('projects/list', guest)).body).toMatchObject({ projects: [{ name: 'Hello' }] });
    expect((await call('members/list', guest)).body).toMatchObject({
      members: [
        { userId: owner.userId, role: 'owner', login: 'the-owner' },
        { userId: guest.userId, role: 'viewer', login: 'guest', name: 'A Guest' },
      ],
    });
    expect(await accept(await aPerson(table), made.body.token)).toMatchObject({
      status: 410,
      body: { error: 'INVITE_SPENT' },
    });
    expect((await call('invites/list', owner)).body).toEqual({ invites: [] });
  });

  it('of many who accept at once lets one in', async () => {
    const { body } = await invite(owner);
    const guests = await Promise.all(Array.from({ length: 4 }, () => aPerson(table)));

    const replies = await Promise.all(
      guests.map((guest) => send('invites/accept', guest, {}, { token: body.token })),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    expect(await stored(projectKey(project.projectId))).toMatchObject({ memberCount: 2 });
  });

  it('of several lets all in at once', async () => {
    const invites = await Promise.all(
      Array.from({ length: 3 }, () => send('invites/create', owner, {}, { role: 'viewer' })),
    );
    const guests = await Promise.all(invites.map(() => aPerson(table)));

    const replies = await Promise.all(
      guests.map((guest, at) => send('invites/accept', guest, {}, { token: invites[at]?.body.token })),
    );

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored(projectKey(project.projectId))).toMatchObject({ memberCount: 4 });
  });

  it('is listed without its token, which the table does not hold either', async () => {
    const { body } = await invite(owner);
    const listed = await call('invites/list', owner);
    const secret = String(body.token).split('.')[2];

    expect(listed.body).toMatchObject({
      invites: [{ id: body.id, role: 'maintainer', createdBy: owner.userId }],
    });
    expect(
      JSON.stringify([listed.body, await stored(inviteKey(project.projectId, String(body.id)))]),
    ).not.toContain(secret);
  });

  it('ends after seven days, or what was asked for', async () => {
    const days = async (body: object) => {
      const made = await invite(owner, body);
      return (Date.parse(String(made.body.expiresAt)) - Date.parse(String(made.body.createdAt))) / 86_400_000;
    };
    expect(await days({ role: 'viewer' })).toBeCloseTo(7, 3);
    expect(await days({ role: 'viewer', expiresInDays: 30 })).toBeCloseTo(30, 3);
    expect(await invite(owner, { role: 'viewer', expiresInDays: 31 })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.expiresInDays' }] },
    });

    const { body } = await invite(owner);
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: inviteKey(project.projectId, String(body.id)),
        UpdateExpression: 'SET expiresAt = :past',
        ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
      }),
    );
    expect(await accept(await aPerson(table), body.token)).toMatchObject({ status: 410 });
  });

  it('lets nobody in once it is revoked, or who gave it may invite no more', async () => {
    const admin = await memberOf(table, project, 'admin');
    const revoked = await invite(owner);
    const orphaned = await invite(admin);
    expect(await call('invites/revoke', owner, { inviteId: String(revoked.body.id) })).toMatchObject({
      status: 200,
    });
    expect(await call('invites/revoke', owner, { inviteId: String(revoked.body.id) })).toMatchObject({
      status: 200,
    });
    await remove(owner, admin);

    expect(await accept(await aPerson(table), revoked.body.token)).toMatchObject({ status: 404 });
    expect(await accept(admin, orphaned.body.token)).toMatchObject({ status: 410 });
    expect(await accept(await aPerson(table), orphaned.body.token)).toMatchObject({ status: 410 });
  });

  it('does not bring back who was removed after it was given', async () => {
    const member = await memberOf(table, project, 'maintainer');
    const older = await invite(owner);
    await remove(owner, member);
    const newer = await invite(owner);

    expect(await accept(member, older.body.token)).toMatchObject({ status: 410 });
    expect(await accept(member, newer.body.token)).toMatchObject({ status: 200 });
    expect(await call('projects/get', member)).toMatchObject({ status: 200 });
  });

  it.each([
    ['nothing', 'x'],
    ['another project', '01JD0000000000000000000000.01JD0000000000000000000000.'.padEnd(97, 'a')],
  ])('is not guessed by %s', async (_what, token) => {
    expect(await accept(await aPerson(table), token)).toMatchObject({ status: 404 });
  });

  it('is not opened by the right ids and another secret', async () => {
    const { body } = await invite(owner);
    const [projectId, inviteId] = String(body.token).split('.');

    expect(await accept(await aPerson(table), `${projectId}.${inviteId}.${'a'.repeat(43)}`)).toMatchObject({
      status: 404,
    });
  });

  it('is given by those who may, and never to own the project', async () => {
    expect(await invite(await memberOf(table, project, 'maintainer'))).toMatchObject({ status: 403 });
    expect(await invite(owner, { role: 'owner' })).toMatchObject({ status: 400 });
    expect(await accept(owner, (await invite(owner)).body.token)).toMatchObject({
      status: 409,
      body: { error: 'ALREADY_MEMBER' },
    });
  });

  it('does not let in more members than a project can have', async () => {
    const setCount = (memberCount: number) =>
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: projectKey(project.projectId),
          UpdateExpression: 'SET memberCount = :count',
          ExpressionAttributeValues: { ':count': memberCount },
        }),
      );
    await setCount(89);
    const [last, oneMore] = [await invite(owner), await invite(owner)];

    expect(await accept(await aPerson(table), last.body.token)).toMatchObject({ status: 200 });
    expect(await accept(await aPerson(table), oneMore.body.token)).toMatchObject({
      status: 409,
      body: { error: 'MEMBER_LIMIT_REACHED' },
    });
  });

  it('is one of at most fifty', async () => {
    for (let made = 0; made < 50; made += 1) expect(await invite(owner)).toMatchObject({ status: 201 });

    expect(await invite(owner)).toMatchObject({ status: 409, body: { error: 'INVITE_LIMIT_REACHED' } });
  });
});

describe('a role', () => {
  it('holds from the next call on', async () => {
    const member = await memberOf(table, project, 'maintainer');
    expect(await setRole(owner, member, 'admin')).toMatchObject({ status: 200, body: { role: 'admin' } });
    expect(await invite(member)).toMatchObject({ status: 201 });
    expect(await setRole(owner, member, 'viewer')).toMatchObject({ status: 200 });

    expect(await invite(member)).toMatchObject({ status: 403 });
    expect(await setRole(member, owner, 'viewer')).toMatchObject({ status: 403 });
  });
});

describe('the last owner', () => {
  it.each([
    ['lowered', (by: Person) => setRole(by, owner, 'admin')],
    ['removed', (by: Person) => remove(by, owner)],
    ['let go', () => call('members/leave', owner)],
  ])('is not %s', async (_what, attempt) => {
    const admin = await memberOf(table, project, 'admin');

    expect(await attempt(admin)).toMatchObject({ status: 409, body: { error: 'LAST_OWNER' } });
    expect(await attempt(owner)).toMatchObject({ status: 409, body: { error: 'LAST_OWNER' } });
  });
});

describe('a member who is removed', () => {
  it('has no right from the next call on, and is not listed', async () => {
    const member = await memberOf(table, project, 'admin');
    expect(await remove(owner, member)).toMatchObject({ status: 200, body: { success: true } });
    expect(await remove(owner, member)).toMatchObject({ status: 200, body: { success: true } });

    expect(await call('projects/get', member)).toMatchObject({ status: 404 });
    expect(await invite(member)).toMatchObject({ status: 404 });
    expect((await call('projects/list', member)).body).toMatchObject({ projects: [] });
    expect((await call('members/list', owner)).body).toMatchObject({ members: [{ userId: owner.userId }] });
    expect(await setRole(owner, member, 'viewer')).toMatchObject({ status: 404 });
  });

  it('removes nobody else at the same moment', async () => {
    const admin = await memberOf(table, project, 'admin');
    const other = await memberOf(table, project, 'viewer');
    const { changeRole } = await import('../../../lambdas/domain/members/change-member.js');
    const { Member } = await import('../../../lambdas/domain/projects/member.js');
    const [actor, target] = [
      await stored(memberKey(project.projectId, admin.userId)),
      await stored(memberKey(project.projectId, other.userId)),
    ];
    await remove(owner, admin);

    // As a request of theirs that was let in just before.
    const late = {
      project,
      actor: Member.parse(actor),
      target: Member.parse(target),
      role: 'admin',
      now: new Date(),
    } as const;
    await expect(changeRole(table, late)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  });

  it('may have gone by themselves', async () => {
    const viewer = await memberOf(table, project, 'viewer');

    expect(await call('members/leave', viewer)).toMatchObject({ status: 200 });
    expect(await call('projects/get', viewer)).toMatchObject({ status: 404 });
  });

  it('is known to nobody when they never were one', async () => {
    expect(await remove(owner, await aPerson(table))).toMatchObject({
      status: 404,
      body: { message: 'Member not found' },
    });
  });
});

it('shows who joined what the project is called by then', async () => {
  const { body } = await invite(owner);
  const guest = await aPerson(table);
  await accept(guest, body.token);
  expect(await call('projects/change', owner, {}, { name: 'Renamed' })).toMatchObject({ status: 200 });

  expect((await call('projects/list', guest)).body).toMatchObject({ projects: [{ name: 'Renamed' }] });
});

it('lets a project be changed that was made before members were counted', async () => {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: projectKey(project.projectId),
      UpdateExpression: 'REMOVE version, memberCount',
    }),
  );
  const { body } = await invite(owner);

  expect(await accept(await aPerson(table), body.token)).toMatchObject({ status: 200 });
  expect(await call('projects/change', owner, {}, { description: 'x', version: 1 })).toMatchObject({
    status: 200,
  });
});
