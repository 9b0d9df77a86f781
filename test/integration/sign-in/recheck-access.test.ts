import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findUser } from '../../../lambdas/domain/users/find-user.js';
import { recheckAccess } from '../../../lambdas/domain/users/recheck-access.js';
import { readSignInPolicy } from '../../../lambdas/domain/users/sign-in-policy.js';
import { isActive } from '../../../lambdas/domain/users/user.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { organisations } from '../../../local/code-host/directory.js';
import { startCodeHost } from '../../support/code-host.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { walkSignIn } from '../../support/walk-sign-in.js';

const hours = (count: number) => new Date(Date.now() + count * 60 * 60_000);
const settings = {
  SUPERADMINS: '1001',
  ALLOWED_ORGANISATIONS: 'Harbour',
  ALLOWED_LOGINS: '1002',
  ALLOWED_EMAIL_DOMAINS: '',
};

let codeHost: AsyncDisposable;
let table: Table;
let session: Invoke;
let userIds: Readonly<Record<'octo' | 'mallory' | 'hubot', string>>;

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  Object.assign(process.env, settings, { TABLE_NAME: table.name });
  vi.resetModules();
  const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
  session = await loadRoute('auth/session');
  const idOf = async (login: string) => {
    const { body } = await session({ cookies: [await walkSignIn(browser, login)] });
    return (body as { user: { id: string } }).user.id;
  };
  userIds = { octo: await idOf('octo'), mallory: await idOf('mallory'), hubot: await idOf('hubot') };
});

afterAll(() => codeHost[Symbol.asyncDispose]());

async function recheck(now: Date, changed: Partial<typeof settings> = {}, apiUrl?: string) {
  const { codeHost: host } = await import('../../../lambdas/edge/code-host.js');
  const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
  const policy = readSignInPolicy({ ...settings, ...changed });
  const reached = apiUrl ? { ...host, apiUrl } : host;
  return recheckAccess({ table, secrets: secretBox, codeHost: reached, policy, now });
}

const active = async () =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(userIds).map(
        async ([login, id]) => [login, isActive(await findUser(table, id))] as const,
      ),
    ),
  );

describe('the sign-in policy', () => {
  it('is not checked again within 12 hours of a sign-in', async () => {
    expect(await recheck(hours(11), { ALLOWED_ORGANISATIONS: '' })).toEqual({
      admitted: 0,
      suspended: 0,
      unanswered: 0,
    });
  });

  it('ends nobody’s rights while the code host does not answer, and asks again half an hour later', async () => {
    expect(await recheck(hours(13), {}, 'http://127.0.0.1:9')).toEqual({
      admitted: 2,
      suspended: 0,
      unanswered: 1,
    });
    expect(await recheck(hours(13.4))).toEqual({ admitted: 0, suspended: 0, unanswered: 0 });
    expect(await recheck(hours(13.6))).toEqual({ admitted: 1, suspended: 0, unanswered: 0 });
    expect(await active()).toEqual({ octo: true, mallory: true, hubot: true });
  });

  it('suspends somebody who left the organisation, and nobody else', async () => {
    const [harbour] = organisations;
    harbour?.members.delete('hubot');
    try {
      expect(await recheck(hours(26))).toEqual({ admitted: 2, suspended: 1, unanswered: 0 });
    } finally {
      harbour?.members.add('hubot');
    }

    expect(await active()).toEqual({ octo: true, mallory: true, hubot: false });
    expect(await findUser(table, userIds.hubot)).toMatchObject({ suspendedBy: 'policy', accessVersion: 1 });
  });

  it('suspends somebody whom a changed setting names no more, but no superadmin', async () => {
    expect(await recheck(hours(40), { ALLOWED_LOGINS: '' })).toMatchObject({ suspended: 1 });

    expect(await active()).toEqual({ octo: true, mallory: false, hubot: false });
  });
});
