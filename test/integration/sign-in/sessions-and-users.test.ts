import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findUser } from '../../../lambdas/domain/users/find-user.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { TestRequest } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aPerson, type Person } from '../../support/project-members.js';
import { signIn, superadminId } from '../../support/sign-in.js';

const files = [
  ...['auth/sessions', 'auth/end-session', 'auth/sign-out-everywhere', 'auth/session'],
  ...['admin/users', 'admin/change-user'],
];

let routes: LoadedRoutes;
let table: Table;
let boss: Person;
let person: Person;

beforeAll(async () => {
  routes = await loadRoutes(files);
  ({ table } = routes);
});

beforeEach(async () => {
  const superadmin = await signIn(table, { role: 'superadmin' });
  boss = { ...superadmin, cookies: [superadmin.cookie] };
  person = await aPerson(table);
});

const call = (file: string, { cookies }: Pick<Person, 'cookies'>, request: TestRequest = {}) =>
  routes.call(file, { ...request, cookies });

const isSignedIn = async ({ cookies }: Pick<Person, 'cookies'>): Promise<boolean> =>
  (await call('auth/session', { cookies })).body !== null;

interface Listed {
  readonly sessions: readonly {
    readonly id: string;
    readonly isCurrent: boolean;
    readonly client: string | null;
  }[];
}
const sessionsOf = async (whose: Person) => (await call('auth/sessions', whose)).body as Listed;

async function another(whose: Person, client?: string): Promise<Person> {
  const signedIn = await signIn(table, { userId: whose.userId, ...(client ? { client } : {}) });
  return { ...signedIn, cookies: [signedIn.cookie] };
}

describe('own sign-in sessions', () => {
  it('are listed with what helps to recognise them, and nothing that opens one', async () => {
    const second = await another(person, 'Firefox on Linux');
    await another(await aPerson(table));

    const { sessions } = await sessionsOf(person);

    expect(sessions.map(({ isCurrent, client }) => [isCurrent, client])).toEqual([
      [true, null],
      [false, 'Firefox on Linux'],
    ]);
    const text = JSON.stringify(sessions);
    for (const { sessionHash, cookie } of [person, second]) {
      expect(text).not.toContain(sessionHash);
      expect(text).not.toContain(cookie.split('=')[1]);
    }
  });

  it('are ended one by one by their person, and by nobody else', async () => {
    const second = await another(person);
    const other = await aPerson(table);
    const id = (await sessionsOf(second)).sessions.find(({ isCurrent }) => isCurrent)?.id ?? '';

    expect(await call('auth/end-session', other, { params: { sessionId: id } })).toMatchObject({
      status: 404,
    });
    expect(await isSignedIn(second)).toBe(true);
    expect(await call('auth/end-session', person, { params: { sessionId: id } })).toMatchObject({
      status: 200,
    });

    expect(await isSignedIn(second)).toBe(false);
    expect(await isSignedIn(person)).toBe(true);
    expect(await call('auth/end-session', person, { params: { sessionId: id } })).toMatchObject({
      status: 404,
    });
    expect(await call('auth/end-session', person, { params: { sessionId: 'x' } })).toMatchObject({
      status: 400,
    });
  });

  it('are ended all at once, and a new sign-in works', async () => {
    const second = await another(person);

    const reply = await call('auth/sign-out-everywhere', person);

    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(reply.cookies[0]).toContain('Max-Age=0');
    expect([await isSignedIn(person), await isSignedIn(second)]).toEqual([false, false]);
    expect(await isSignedIn(await another(person))).toBe(true);
  });

  it('are not ended by another site', async () => {
    const headers = { origin: 'https://evil.example' };

    expect(await call('auth/sign-out-everywhere', person, { headers })).toMatchObject({ status: 403 });
    expect(await isSignedIn(person)).toBe(true);
  });
});

describe('the users of a deployment', () => {
  const change = (who: Person, userId: string, body: object) =>
    call('admin/change-user', who, { params: { userId }, body });

  it('are listed in pages for superadmins only', async () => {
    const first = await call('admin/users', boss, { query: { limit: '2' } });
    const { users, nextCursor } = first.body as { users: { id: string }[]; nextCursor: string };
    const rest = await call('admin/users', boss, { query: { limit: '100', cursor: nextCursor } });

    const ids = [...users, ...(rest.body as { users: { id: string }[] }).users].map(({ id }) => id);
    expect(users).toHaveLength(2);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([boss.userId, person.userId]));
    expect(first.body).toMatchObject({ users: [{ status: 'active', suspendedBy: null }, {}] });
    expect(await call('admin/users', person)).toMatchObject({ status: 403 });
  });

  it('are suspended at once, and can do nothing until they are reactivated', async () => {
    expect(await change(boss, person.userId, { status: 'suspended' })).toMatchObject({
      status: 200,
      body: { id: person.userId, status: 'suspended', suspendedBy: 'superadmin' },
    });
    const suspended = await findUser(table, person.userId);

    expect(await isSignedIn(person)).toBe(false);
    // A session row that was made in the same moment.
    const later = await another(person);
    expect(await isSignedIn(later)).toBe(false);
    expect(await change(boss, person.userId, { status: 'suspended' })).toMatchObject({ status: 200 });
    expect(await findUser(table, person.userId)).toEqual(suspended);

    expect(await change(boss, person.userId, { status: 'active' })).toMatchObject({
      status: 200,
      body: { status: 'active', suspendedBy: null },
    });
    expect(await isSignedIn(person)).toBe(false);
    expect(await isSignedIn(await another(person))).toBe(true);
  });

  it('lose their sessions with a change of role, and keep them with the same one', async () => {
    expect(await change(boss, person.userId, { role: 'user' })).toMatchObject({ status: 200 });
    expect(await isSignedIn(person)).toBe(true);

    expect(await change(boss, person.userId, { role: 'admin' })).toMatchObject({ body: { role: 'admin' } });
    expect(await isSignedIn(person)).toBe(false);
  });

  it('whom the policy suspended stay so when a superadmin suspends them too', async () => {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: userKey(person.userId),
        UpdateExpression: 'SET #status = :suspended, suspendedBy = :policy',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':suspended': 'suspended', ':policy': 'policy' },
      }),
    );

    expect(await change(boss, person.userId, { status: 'suspended' })).toMatchObject({
      body: { suspendedBy: 'superadmin' },
    });
  });

  it('who are superadmins are changed by the setting only, themselves included', async () => {
    for (const body of [{ status: 'suspended' }, { role: 'user' }]) {
      expect(await change(boss, boss.userId, body)).toMatchObject({
        status: 403,
        body: { error: 'SUPERADMIN_BY_SETTING' },
      });
    }
    expect((await findUser(table, boss.userId))?.githubId).toBe(superadminId);
    expect(await isSignedIn(boss)).toBe(true);
  });

  it.each([{}, { status: 'pending' }, { role: 'superadmin' }, { status: 'active', name: 'x' }])(
    'are not changed to %o',
    async (body) => {
      expect(await change(boss, person.userId, body)).toMatchObject({ status: 400 });
    },
  );

  it('are changed by superadmins only, and only those who exist', async () => {
    const admin = await signIn(table, { role: 'admin' });
    const one = { ...admin, cookies: [admin.cookie] };

    expect(await change(one, person.userId, { status: 'suspended' })).toMatchObject({ status: 403 });
    expect(await change(boss, newId(), { status: 'suspended' })).toMatchObject({ status: 404 });
    expect(await isSignedIn(person)).toBe(true);
  });
});
