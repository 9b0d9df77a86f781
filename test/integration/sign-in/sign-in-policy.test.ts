import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Table } from '../../../lambdas/shared/table.js';
import { organisations } from '../../../local/code-host/directory.js';
import { startCodeHost } from '../../support/code-host.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { beginSignIn, cookieNamed } from '../../support/walk-sign-in.js';

// On the code host: octo (1001) has example.com as verified primary address; mallory's (1002) is of
// elsewhere.test, and example.com is a second one; hubot's (1003) is not verified. Octo and hubot
// are members of Harbour (2001), to which mallory is invited.

let codeHost: AsyncDisposable;
let table: Table;
let signIn: Invoke;
let callback: Invoke;
let session: Invoke;

beforeAll(async () => {
  codeHost = await startCodeHost();
});

afterAll(() => codeHost[Symbol.asyncDispose]());

beforeEach(async () => {
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
});

interface Policy {
  readonly organisations?: string;
  readonly logins?: string;
  readonly emailDomains?: string;
}

async function deploy({ organisations = '', logins = '', emailDomains = '' }: Policy): Promise<void> {
  Object.assign(process.env, {
    SUPERADMINS: '9',
    ALLOWED_ORGANISATIONS: organisations,
    ALLOWED_LOGINS: logins,
    ALLOWED_EMAIL_DOMAINS: emailDomains,
  });
  vi.resetModules();
  signIn = await loadRoute('auth/sign-in');
  callback = await loadRoute('auth/callback');
  session = await loadRoute('auth/session');
}

/** The session's cookie, or where the browser is sent to see why there is none. */
async function attempt(login: string): Promise<{ readonly cookie?: string; readonly location: string }> {
  const { cookie, query } = await beginSignIn({ signIn, callback }, login);
  const done = await callback({ params: { provider: 'github' }, query, cookies: [cookie] });
  const opened = cookieNamed(done, '__Host-berth_session');
  return { location: done.headers.location ?? '', ...(opened ? { cookie: opened } : {}) };
}

async function admitted(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const login of ['octo', 'mallory', 'hubot']) if ((await attempt(login)).cookie) found.push(login);
  return found;
}

const stored = async () => (await table.client.send(new ScanCommand({ TableName: table.name }))).Items ?? [];

describe('the sign-in policy', () => {
  it.each<[string, Policy, readonly string[]]>([
    ['nothing', {}, []],
    ['an organisation by login', { organisations: 'other, harbour' }, ['octo', 'hubot']],
    ['an organisation by id', { organisations: '2001' }, ['octo', 'hubot']],
    ['an e-mail domain', { emailDomains: 'Example.com' }, ['octo']],
    ['a parent of an e-mail domain', { emailDomains: 'com, ample.com' }, []],
    ['a login', { logins: 'Mallory' }, ['mallory']],
    ['an account id', { logins: '1003' }, ['hubot']],
    [
      'all of them',
      { organisations: 'Harbour', logins: '1002', emailDomains: 'none.test' },
      ['octo', 'mallory', 'hubot'],
    ],
  ])('that lists %s admits exactly whom it lists', async (_what, policy, people) => {
    await deploy(policy);

    expect(await admitted()).toEqual(people);
  });

  it('writes nothing for somebody whom it refuses', async () => {
    await deploy({});

    expect(await attempt('mallory')).toEqual({ location: '/?error=sign_in_not_allowed' });

    expect((await stored()).filter(({ entity }) => entity !== 'rate-window')).toEqual([]);
  });

  it('ends the other sessions of somebody who is refused at a later sign-in, and admits them again', async () => {
    await deploy({ organisations: 'Harbour' });
    const { cookie = '' } = await attempt('hubot');
    const [harbour] = organisations;
    harbour?.members.delete('hubot');
    try {
      expect((await session({ cookies: [cookie] })).body).not.toBeNull();
      expect(await attempt('hubot')).toEqual({ location: '/?error=sign_in_not_allowed' });
      expect((await session({ cookies: [cookie] })).body).toBeNull();
    } finally {
      harbour?.members.add('hubot');
    }

    const { cookie: again = '' } = await attempt('hubot');

    expect((await session({ cookies: [again] })).body).not.toBeNull();
    expect((await session({ cookies: [cookie] })).body).toBeNull();
  });
});
