import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { isReachedDirectly, originSecretHeader } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';

// Calls that go to API Gateway past CloudFront, and callers that choose an address for themselves.

const [current = '', previous = ''] = (process.env.ORIGIN_SECRETS ?? '').split(',');
const guarded = routes.filter((row) => !isReachedDirectly(row));
const invokes = new Map<string, Invoke>();
let calls: CallCount;
let cookie: string;

beforeAll(async () => {
  const table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  await new S3Client({ forcePathStyle: true })
    .send(new CreateBucketCommand({ Bucket: functionEnv.ARTIFACTS_BUCKET }))
    .catch(() => undefined);
  for (const { file } of routes) invokes.set(file, await loadRoute(file));
  calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  ({ cookie } = await signIn(table));
});

const invoke = (file: string, request: Parameters<Invoke>[0]) => {
  const found = invokes.get(file);
  if (!found) throw new Error(`${file} is not loaded`);
  return found(request);
};

const refused = { status: 403, body: { error: 'ORIGIN_REQUIRED' } };

describe.each(guarded)('$method $path, called past CloudFront', ({ file }) => {
  it('answers 403 before it reads the table, also with a session', async () => {
    calls.reset();

    const replies = [
      await invoke(file, { direct: true }),
      await invoke(file, { direct: true, cookies: [cookie] }),
    ];

    for (const reply of replies) expect(reply).toMatchObject(refused);
    expect(calls.names).toEqual([]);
  });
});

it('declares as reachable directly only what nodes, agents and probes call', () => {
  const direct = routes.filter(isReachedDirectly).filter(({ auth }) => auth.kind !== 'mcp');
  const open = direct.filter(({ auth }) => auth.kind === 'public' || auth.kind === 'own');

  expect(open.map(({ path }) => path).sort()).toEqual([
    '/.well-known/jwks.json',
    '/api/agent/download',
    '/api/bootstrap',
    '/health',
  ]);
  expect(direct.some(({ auth }) => auth.kind === 'session' || auth.kind === 'capability')).toBe(false);
});

describe('the origin secret', () => {
  const listing = (value: string) =>
    invoke('projects/list', { direct: true, cookies: [cookie], headers: { [originSecretHeader]: value } });

  it('is accepted in its current and in its previous value', async () => {
    for (const value of [current, previous]) expect(await listing(value)).toMatchObject({ status: 200 });
  });

  it.each([
    ['empty', ''],
    ['both values as they are configured', `${current},${previous}`],
    ['a prefix', current.slice(0, -1)],
    ['a longer value', `${current}a`],
    ['another case', current.toUpperCase()],
    ['the value with a space', ` ${current}`],
  ])('is refused when it is %s', async (_name, value) => {
    expect(await listing(value)).toMatchObject(refused);
  });

  it('is in no answer', async () => {
    for (const { file } of guarded) {
      const reply = await invoke(file, {});
      expect(JSON.stringify(reply)).not.toContain(current);
    }
  });
});

describe('a forged X-Forwarded-For', () => {
  const token = 'A'.repeat(43);
  const body = { nodeId: '01J0000000000000000000000A', token, redemptionId: 'a'.repeat(32) };

  it('does not give a caller of the API itself another address', async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${attempt}, 10.0.0.${attempt}` };
      statuses.push((await invoke('callbacks/bootstrap', { direct: true, body, headers })).status);
    }

    // 25 calls span at most two windows of ten.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });

  it('does not give a caller behind CloudFront another address', async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      // CloudFront appends the viewer's address, API Gateway the address of CloudFront.
      const headers = { 'x-forwarded-for': `192.0.2.${attempt}, 198.51.100.77, 203.0.113.7` };
      const reply = await invoke('auth/sign-in', { body: { provider: 'github' }, headers });
      statuses.push(reply.status);
    }

    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });
});
