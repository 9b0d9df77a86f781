import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { type Browser, walkSignIn } from '../../support/walk-sign-in.js';

let codeHost: AsyncDisposable;
let table: Table;

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
});

afterAll(() => codeHost[Symbol.asyncDispose]());

interface Deployment extends Browser {
  readonly session: Invoke;
  readonly listPlatformCredentials: Invoke;
}

/** The functions of a deployment with this setting: they read it when they start. */
async function deployed(superadmins: string): Promise<Deployment> {
  process.env.SUPERADMINS = superadmins;
  vi.resetModules();
  return {
    signIn: await loadRoute('auth/sign-in'),
    callback: await loadRoute('auth/callback'),
    session: await loadRoute('auth/session'),
    listPlatformCredentials: await loadRoute('credentials/list-of-platform'),
  };
}

async function roleOf({ session }: Deployment, cookie: string): Promise<unknown> {
  const { body } = await session({ cookies: [cookie] });
  return (body as { user: { role: string } } | null)?.user.role;
}

it('are the accounts that the setting names by id, and nobody else for being first or for a login', async () => {
  const berth = await deployed('1002,1003');

  expect(await roleOf(berth, await walkSignIn(berth, 'octo'))).toBe('user');
  expect(await roleOf(berth, await walkSignIn(berth, 'mallory'))).toBe('superadmin');
  expect(await roleOf(berth, await walkSignIn(berth, 'hubot'))).toBe('superadmin');

  const byLogin = await deployed('mallory');
  expect(await roleOf(byLogin, await walkSignIn(byLogin, 'mallory'))).toBe('user');
});

it('lose and gain the role with the deployment that changes the setting, in sessions that are open', async () => {
  const before = await deployed('1002');
  const [mallory, hubot] = [await walkSignIn(before, 'mallory'), await walkSignIn(before, 'hubot')];
  const reach = async (berth: Deployment) =>
    Promise.all(
      [mallory, hubot].map(
        async (cookie) => (await berth.listPlatformCredentials({ cookies: [cookie] })).status,
      ),
    );
  expect(await reach(before)).toEqual([200, 403]);

  const after = await deployed('1003');

  expect(await reach(after)).toEqual([403, 200]);
  expect([await roleOf(after, mallory), await roleOf(after, hubot)]).toEqual(['user', 'superadmin']);
});
