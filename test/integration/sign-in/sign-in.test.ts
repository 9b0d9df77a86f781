import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSessionSecret } from '../../../lambdas/domain/sessions/session.js';
import { userKey } from '../../../lambdas/domain/users/user.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { beginSignIn, cookieNamed, walkSignIn } from '../../support/walk-sign-in.js';

let codeHost: AsyncDisposable;
let table: Table;
let calls: CallCount;
let signIn: Invoke;
let callback: Invoke;
let signOut: Invoke;
let session: Invoke;

const provider = { provider: 'github' };

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
  // Addresses as CloudFront writes them, so that each test counts against a limit of its own.
  calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  const fromAnywhere =
    (load: Invoke): Invoke =>
    (request) =>
      load({
        ...request,
        headers: { 'x-forwarded-for': `${Math.random()}, 203.0.113.7`, ...request?.headers },
      });
  signIn = fromAnywhere(await loadRoute('auth/sign-in'));
  callback = fromAnywhere(await loadRoute('auth/callback'));
  signOut = await loadRoute('auth/sign-out');
  session = await loadRoute('auth/session');
});

afterAll(() => codeHost[Symbol.asyncDispose]());

const browser = () => ({ signIn, callback });

describe('signing in', () => {
  it('makes one user of two first sign-ins at once, and nothing fails', async () => {
    const begun = await Promise.all([beginSignIn(browser(), 'octo'), beginSignIn(browser(), 'octo')]);

    const done = await Promise.all(
      begun.map(({ cookie, query }) => callback({ params: provider, query, cookies: [cookie] })),
    );

    const who = await Promise.all(
      done.map((reply) => session({ cookies: [cookieNamed(reply, '__Host-berth_session') ?? ''] })),
    );
    expect(new Set(who.map(({ body }) => (body as { user: { id: string } }).user.id)).size).toBe(1);
  });

  it('opens a session', async () => {
    const octo = await walkSignIn(browser(), 'octo');
    const mallory = await walkSignIn(browser(), 'mallory');

    const first = await session({ cookies: [octo] });
    const second = await session({ cookies: [mallory] });
    expect(first.body).toMatchObject({ user: { login: 'octo', name: 'Octo Cat', role: 'superadmin' } });
    expect(second.body).toMatchObject({ user: { login: 'mallory', role: 'user' } });
    expect(JSON.stringify(first.body)).not.toMatch(/cursorKey|sessionHash|githubId/);
  });

  it('finds the same person again', async () => {
    const before = await session({ cookies: [await walkSignIn(browser(), 'octo')] });
    const after = await session({ cookies: [await walkSignIn(browser(), 'octo')] });

    const id = (reply: typeof before) => (reply.body as { user: { id: string } }).user.id;
    expect(id(after)).toBe(id(before));
  });

  it('stays within the budget of table calls', async () => {
    calls.reset();
    const { cookie, query } = await beginSignIn(browser(), 'octo');
    expect([calls.limits, calls.names]).toEqual([['UpdateItemCommand'], ['PutItemCommand']]);

    calls.reset();
    const done = await callback({ params: provider, query, cookies: [cookie] });
    // A GET by its method only: it changes the table, and has the budget of a change.
    expect(calls.names).toEqual([
      'DeleteItemCommand',
      'GetItemCommand',
      'QueryCommand',
      'TransactWriteItemsCommand',
    ]);

    calls.reset();
    await session({ cookies: [cookieNamed(done, '__Host-berth_session') ?? ''] });
    expect(calls.names).toHaveLength(1);
  });

  it('goes back to the page it began on, and to no other site', async () => {
    const { cookie, query } = await beginSignIn(browser(), 'octo', { callbackURL: '/settings?tab=1' });
    const done = await callback({ params: provider, query, cookies: [cookie] });
    expect(done.headers.location).toBe('/settings?tab=1');

    for (const callbackURL of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      '\\\\evil.example',
      '/a\\..\\/evil.example',
      '/\u0000/evil.example',
      '/\u0085/evil.example',
      ' //evil.example',
      'javascript:alert(1)',
      '',
      `/${'a'.repeat(512)}`,
      'x',
    ]) {
      const refused = await signIn({ body: { ...provider, callbackURL } });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'body.callbackURL' }] } });
    }
  });

  it.each([
    '/%2F%2Fevil.example',
    '/%5Cevil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/@evil.example',
    '/?next=//evil.example',
  ])('stays on this site with %s', async (callbackURL) => {
    const { cookie, query } = await beginSignIn(browser(), 'octo', { callbackURL });
    const done = await callback({ params: provider, query, cookies: [cookie] });

    const site = 'https://berth.example';
    expect(new URL(done.headers.location ?? '', `${site}/api/auth/callback/github`).origin).toBe(site);
  });

  it('cannot be begun by another site, so that nobody is signed in unawares', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const reply = await signIn({ body: provider, headers });
      expect(reply).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' }, cookies: [] });
    }
  });

  it('redirects a form and answers a program', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = await signIn({ body: 'provider=github&callbackURL=%2Fdocs', headers });
    const program = await signIn({ body: provider });

    expect(form).toMatchObject({
      status: 303,
      headers: { location: expect.stringContaining('code_challenge=') },
    });
    expect(program).toMatchObject({ status: 200, body: { redirect: true } });
  });
});

describe('a callback is refused', () => {
  const refused = (reason: string) => ({ status: 302, headers: { location: `/?error=${reason}` } });

  it('when it is repeated', async () => {
    const { cookie, query } = await beginSignIn(browser(), 'octo');
    await callback({ params: provider, query, cookies: [cookie] });

    const again = await callback({ params: provider, query, cookies: [cookie] });

    expect(again).toMatchObject(refused('state_mismatch'));
    expect(cookieNamed(again, '__Host-berth_session')).toBeUndefined();
  });

  it('when another browser brings it, which leaves it to its own', async () => {
    const { cookie, query } = await beginSignIn(browser(), 'octo');

    const stolen = await callback({ params: provider, query, cookies: ['__Host-berth_oauth=other'] });
    const own = await callback({ params: provider, query, cookies: [cookie] });

    expect(stolen).toMatchObject(refused('state_mismatch'));
    expect(own.headers.location).toBe('/');
  });

  it('when its state is missing, or its code is not the code host’s', async () => {
    const { cookie, query } = await beginSignIn(browser(), 'octo');

    const bare = await callback({ params: provider });
    const forged = await callback({
      params: provider,
      query: { ...query, code: 'forged' },
      cookies: [cookie],
    });

    expect(bare).toMatchObject(refused('state_mismatch'));
    expect(forged).toMatchObject(refused('code_host_refused'));
  });

  it('when the person said no', async () => {
    const { cookie, query } = await beginSignIn(browser(), 'octo');

    const denied = await callback({
      params: provider,
      query: { state: query.state ?? '', error: 'access_denied' },
      cookies: [cookie],
    });

    expect(denied).toMatchObject(refused('access_denied'));
  });

  it('when the person is suspended', async () => {
    const { body } = await session({ cookies: [await walkSignIn(browser(), 'mallory')] });
    const { user } = body as { user: { id: string } };
    const set = (status: string) =>
      table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: userKey(user.id),
          UpdateExpression: 'SET #status = :status',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': status },
        }),
      );
    await set('suspended');
    const { cookie, query } = await beginSignIn(browser(), 'mallory');

    const done = await callback({ params: provider, query, cookies: [cookie] });

    await set('active');
    expect(done).toMatchObject(refused('account_suspended'));
  });
});

describe('a session', () => {
  it('ends with a sign-out, which may be repeated', async () => {
    const cookie = await walkSignIn(browser(), 'octo');

    const first = await signOut({ cookies: [cookie] });
    const second = await signOut({ cookies: [cookie] });

    expect(first).toMatchObject({ status: 200, body: { success: true } });
    expect(first.cookies[0]).toContain('Max-Age=0');
    expect(second.status).toBe(200);
    expect((await session({ cookies: [cookie] })).body).toBeNull();
  });

  it('is not ended by another site', async () => {
    const cookie = await walkSignIn(browser(), 'octo');

    const foreign = await signOut({ cookies: [cookie], headers: { origin: 'https://evil.example' } });
    const crossSite = await signOut({ cookies: [cookie], headers: { 'sec-fetch-site': 'same-site' } });

    expect([foreign.status, crossSite.status]).toEqual([403, 403]);
    expect((await session({ cookies: [cookie] })).body).not.toBeNull();
  });

  it('ends for one call, whoever’s it is', async () => {
    const cookie = await walkSignIn(browser(), 'octo');

    calls.reset();
    await signOut({ cookies: [cookie] });
    expect(calls.names).toEqual(['DeleteItemCommand']);
    calls.reset();
    await signOut();
    expect(calls.names).toEqual([]);
  });

  it('gives way to the next one in the same browser, which has another secret', async () => {
    const before = await walkSignIn(browser(), 'octo');
    const { cookie, query } = await beginSignIn(browser(), 'octo');

    const done = await callback({ params: provider, query, cookies: [cookie, before] });

    const after = cookieNamed(done, '__Host-berth_session') ?? '';
    expect(after).not.toBe(before);
    expect((await session({ cookies: [before] })).body).toBeNull();
    expect((await session({ cookies: [after] })).body).not.toBeNull();
  });

  it('takes no secret that somebody chose for it', async () => {
    const chosen = `__Host-berth_session=${'A'.repeat(43)}`;
    const { cookie, query } = await beginSignIn(browser(), 'octo');

    await callback({ params: provider, query, cookies: [cookie, chosen] });

    expect((await session({ cookies: [chosen] })).body).toBeNull();
  });

  it('has cookies that no script, no other site and no plain connection gets', async () => {
    const begun = await signIn({ body: provider });
    const { cookie, query } = await beginSignIn(browser(), 'octo');
    const done = await callback({ params: provider, query, cookies: [cookie] });

    const set = [...begun.cookies, ...done.cookies];
    expect(set).toHaveLength(3);
    for (const each of set) {
      expect(each).toMatch(/^__Host-berth_(session|oauth)=/);
      const attributes = each.split('; ').slice(1);
      expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']));
      expect(each).not.toMatch(/Domain=/i);
    }
  });

  it('is stored by the hash of its secret only', async () => {
    const cookie = await walkSignIn(browser(), 'octo');
    const secret = cookie.split('=')[1] ?? '';

    expect(secret).toMatch(/^[0-9A-Z]{26}\.[\w-]{43}$/);
    expect(hashSessionSecret(secret)).not.toBe(secret);
  });

  it('is nothing without a cookie, or with a forged one', async () => {
    expect(await session()).toMatchObject({ status: 200, body: null });
    expect(await session({ cookies: ['__Host-berth_session=forged'] })).toMatchObject({
      status: 200,
      body: null,
    });
  });
});

describe('sign-ins from one address', () => {
  it('are ten a minute', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' };
    const statuses = [];
    for (let attempt = 0; attempt < 21; attempt++) {
      const reply = await signIn({ body: provider, headers });
      statuses.push(reply.status);
      if (reply.status === 429) {
        expect(reply.headers).toMatchObject({
          'retry-after': expect.any(String),
          'x-ratelimit-remaining': '0',
        });
      }
    }

    // Twenty-one calls span at most two windows.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(statuses.slice(0, 10)).toContain(200);
  });
});
