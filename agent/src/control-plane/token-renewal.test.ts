import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { openDatabase } from '../store/database.js';
import { WorkspaceStore } from '../store/workspace-store.js';
import { CallbackRefused, CallbackUnavailable } from './callback-errors.js';
import { TokenRenewal } from './token-renewal.js';

const workspaceId = '01K0000000000000000000000W';
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (iat: number, exp: number) => `${encode({ alg: 'EdDSA' })}.${encode({ iat, exp })}.c2ln`;
const first = token(0, 1_000);

let now = 0;
let answers: (() => Promise<{ renewed: boolean; token?: string }>)[] = [];
let presented: string[] = [];
let store: WorkspaceStore;
let renewal: TokenRenewal;

beforeEach(() => {
  presented = [];
  store = new WorkspaceStore(
    openDatabase(join(mkdtempSync(join(tmpdir(), 'renew-')), 'db')),
    () => new Date(0),
  );
  store.begin({
    workspaceId,
    generation: 1,
    callbackToken: first,
    settings: { repository: null, cloneUrl: null, branch: null },
  });
  renewal = new TokenRenewal(
    { nodeId: 'N', ratio: 0.5, retryInitialMs: 60_000, retryMaxMs: 1_800_000 },
    {
      store,
      callbacks: {
        renewToken: async (workspace) => {
          presented.push(workspace.callbackToken);
          return (answers.shift() ?? (() => Promise.reject(new Error('unexpected'))))();
        },
      },
      nodeToken: { value: 'node' },
      log: new Log({ level: 'error', format: 'json' }, () => undefined),
      now: () => now,
    },
  );
});

async function runAt(seconds: number) {
  now = seconds * 1_000;
  await renewal.run();
}

it('renews a token after half of its lifetime, and not before', async () => {
  answers = [async () => ({ renewed: true, token: token(500, 1_500) })];

  await runAt(499);
  expect(presented).toEqual([]);
  await runAt(500);
  await runAt(501);

  expect(presented).toEqual([first]);
  expect(store.find(workspaceId)?.callbackToken).toBe(token(500, 1_500));
});

it('backs off after a transient failure, doubling', async () => {
  const down = () => Promise.reject(new CallbackUnavailable('down'));
  answers = [down, down, down];

  await runAt(500);
  await runAt(559);
  expect(presented).toHaveLength(1);
  await runAt(560);
  await runAt(679);
  expect(presented).toHaveLength(2);
  await runAt(680);
  expect(presented).toHaveLength(3);
});

it('never sends a refused token again', async () => {
  answers = [
    () => Promise.reject(new CallbackRefused('/x', { status: 403, code: 'FORBIDDEN', reason: 'no' })),
  ];

  await runAt(500);
  await runAt(900_000);

  expect(presented).toHaveLength(1);
});

it('retries when only the node’s own token was refused', async () => {
  const refuse = () =>
    Promise.reject(
      new CallbackRefused('/x', { status: 401, code: 'NODE_CALLBACK_UNAUTHORIZED', reason: 'no' }),
    );
  answers = [refuse, async () => ({ renewed: false })];

  await runAt(500);
  await runAt(560);
  await runAt(2_000);

  expect(presented).toHaveLength(2);
});

it('waits for the longest delay when the token is not due', async () => {
  answers = [async () => ({ renewed: false }), async () => ({ renewed: false })];

  await runAt(500);
  await runAt(2_299);
  expect(presented).toHaveLength(1);
  await runAt(2_300);
  expect(presented).toHaveLength(2);
});

it('backs off when the response reports a renewal without a token', async () => {
  const empty = async () => ({ renewed: true });
  answers = [empty, empty, async () => ({ renewed: true, token: token(680, 1_680) })];

  await runAt(500);
  await runAt(560);
  await runAt(679);
  expect(presented).toHaveLength(2);
  await runAt(680);

  expect(presented).toHaveLength(3);
  expect(store.find(workspaceId)?.callbackToken).toBe(token(680, 1_680));
});
