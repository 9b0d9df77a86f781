import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { founderKey } from '../../../lambdas/domain/users/user.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';
import { type Browser, walkSignIn } from '../../support/walk-sign-in.js';

let codeHost: AsyncDisposable;
let table: Table;
let session: Invoke;
let browser: Browser;

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  process.env.TABLE_NAME = table.name;
  browser = { signIn: await loadRoute('auth/sign-in'), callback: await callbackWith('Mallory, hubot') };
  session = await loadRoute('auth/session');
});

afterAll(() => codeHost[Symbol.asyncDispose]());

/** The callback of a deployment with this setting: a function reads it when it starts. */
async function callbackWith(superadmins: string): Promise<Invoke> {
  process.env.SUPERADMINS = superadmins;
  vi.resetModules();
  return loadRoute('auth/callback');
}

async function roleOf(cookie: string): Promise<unknown> {
  const { body } = await session({ cookies: [cookie] });
  return (body as { user: { role: string } } | null)?.user.role;
}

it('are those whom the operator names, and not whoever comes first', async () => {
  expect(await roleOf(await walkSignIn(browser, 'octo'))).toBe('user');
  expect(await roleOf(await walkSignIn(browser, 'mallory'))).toBe('superadmin');
  // The second one named is no founder either, which must not stand in the way.
  expect(await roleOf(await walkSignIn(browser, 'hubot'))).toBe('superadmin');
});

it('are no more once they are named no more, and their sessions end with it', async () => {
  const before = await walkSignIn(browser, 'mallory');
  const later = { ...browser, callback: await callbackWith('hubot,octo') };

  const after = await walkSignIn(later, 'mallory');

  expect(await roleOf(after)).toBe('user');
  expect(await roleOf(before)).toBeUndefined();
  expect(await roleOf(await walkSignIn(later, 'octo'))).toBe('superadmin');
});

it('come from nowhere when the setting is taken away later', async () => {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: founderKey }));

  expect(Item).toBeDefined();
});
