import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startCodeHost } from '../../support/code-host.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { beginSignIn, cookieNamed } from '../../support/walk-sign-in.js';

let codeHost: AsyncDisposable;
let load: Record<'signIn' | 'callback' | 'create' | 'repositories' | 'signOut', Invoke>;
const lines: string[] = [];
const codeHostTokens = new Set<string>();

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  codeHost = await startCodeHost();
  // All that a function could ever write, and where Powertools writes it.
  process.env.LOG_LEVEL = 'TRACE';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(String(chunk));
      return true;
    });
  }
  const realFetch = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const reply = await realFetch(input, init);
    for (const [token] of (await reply.clone().text()).matchAll(/gh[usr]_[\w-]+/g)) codeHostTokens.add(token);
    return reply;
  });
  load = {
    signIn: await loadRoute('auth/sign-in'),
    callback: await loadRoute('auth/callback'),
    create: await loadRoute('workspaces/create'),
    repositories: await loadRoute('codehost/repositories'),
    signOut: await loadRoute('auth/sign-out'),
  };
});

afterAll(async () => {
  vi.restoreAllMocks();
  process.env.LOG_LEVEL = 'SILENT';
  await codeHost[Symbol.asyncDispose]();
});

it('a sign-in and the requests after it leave ids of the person in the log, and no secret', async () => {
  const provider = { provider: 'github' };
  const { cookie, query } = await beginSignIn(load, 'octo');
  const done = await load.callback({ params: provider, query, cookies: [cookie] });
  const session = cookieNamed(done, '__Host-berth_session') ?? '';
  const refused = await beginSignIn(load, 'octo');
  await load.callback({
    params: provider,
    query: { ...refused.query, code: 'forged-code' },
    cookies: [refused.cookie],
  });
  await load.callback({ params: provider, query: refused.query, cookies: [refused.cookie] });
  await load.repositories({ cookies: [session] });
  await load.create({ cookies: [session], body: { installationId: '5001', repository: 'octo/hello' } });
  await load.signOut({ cookies: [session] });

  const log = lines.join('');
  const logged = log.split('\n').filter((line) => line.startsWith('{'));
  expect(logged.length).toBeGreaterThanOrEqual(8);
  const secretOf = (pair: string) => pair.slice(pair.indexOf('=') + 1);
  const secrets = [
    ...[session, cookie, refused.cookie].map(secretOf),
    ...[query, refused.query].flatMap(({ state, code }) => [state, code]),
    'forged-code',
    ...codeHostTokens,
  ];
  expect(codeHostTokens.size).toBeGreaterThanOrEqual(2);
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThan(8);
    expect(log).not.toContain(secret);
  }

  const userId = secretOf(session).split('.')[0];
  const entries = logged.map((line): { message: string; userId?: string } => JSON.parse(line));
  const ofPerson = entries.filter((entry) => entry.userId === userId).map(({ message }) => message);
  expect(ofPerson).toEqual(expect.arrayContaining(['Signed in', 'Request']));
});
