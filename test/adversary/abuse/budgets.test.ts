import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { type RateLimit, rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { jsonSchema } from '../../../lambdas/edge/openapi/json-schema.js';
import { sample } from '../../../lambdas/edge/openapi/sample.js';
import { contractOf } from '../../../lambdas/http/contracts.js';
import type { Authorisation, Grant, Route } from '../../../lambdas/route-row.js';
import { longestHoldSeconds } from '../../../lambdas/route-row.js';
import { routes } from '../../../lambdas/routes.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { type EveryRoute, everyRoute } from '../../support/every-route.js';
import type { TestRequest } from '../../support/invoke.js';
import { emptyTable } from '../../support/table.js';

// One caller's limit on each route, generated from the table of routes, so new rows are included.

const byToken: readonly Authorisation['kind'][] = [
  ...(['nodeCallback', 'workspaceCallback', 'agentCallback', 'anyCallback'] as const),
];
const costly: readonly Grant[] = ['codehost:app', 'saga:provision-workspace', 'saga:run-task'];
const isByToken = ({ auth }: Route) => byToken.includes(auth.kind);
const limitOf = ({ limit }: Route): RateLimit | undefined => limit && rateLimits[limit];

describe('the table of routes', () => {
  it('names a limit for each route that starts compute, calls the code host or waits for a node', () => {
    const unlimited = routes.filter(
      ({ limit, grants, readsNode }) => !limit && (readsNode || grants.some((one) => costly.includes(one))),
    );

    expect(unlimited.map(({ file }) => file)).toEqual([]);
  });

  it('names one for each route that writes or signs for a person or for anybody', () => {
    const unlimited = routes.filter(
      (row) =>
        !row.limit &&
        !isByToken(row) &&
        row.grants.some((one) => ['table:write', 'tokens:sign', 'uploads:write'].includes(one)),
    );

    expect(unlimited.map(({ file }) => file)).toEqual([]);
  });

  it('names one for each callback that signs; other callbacks are bounded by their throttle', () => {
    const unlimited = routes.filter(
      (row) => isByToken(row) && !row.limit && row.grants.includes('tokens:sign'),
    );

    expect(unlimited.map(({ file }) => file)).toEqual([]);
  });

  it('bounds how many calls of a node one person has in progress', () => {
    const signsOnly = ['terminal/token', 'terminal/preview-token', 'workspaces/restart'];
    const waiting = routes.filter(
      (row) =>
        row.readsNode ||
        (['session', 'capability'].includes(row.auth.kind) &&
          row.grants.includes('tokens:sign') &&
          !signsOnly.includes(row.file)),
    );

    expect(waiting.length).toBeGreaterThan(10);
    for (const row of waiting) expect(limitOf(row)?.inFlight, row.file).toBeLessThanOrEqual(4);
  });

  it('lets no request hold its function longer than API Gateway waits', () => {
    for (const row of routes) expect(longestHoldSeconds(row), row.file).toBeLessThanOrEqual(25);
    expect(routes.filter((row) => longestHoldSeconds(row) > 15).map(({ file }) => file)).toEqual([
      'files/raw',
      'files/download',
      'files/upload',
      // It waits a while for the end of the sleep.
      'workspaces/sleep',
    ]);
  });
});

const counted = routes.filter((row) => {
  const limit = limitOf(row);
  // A call of the code host counts only with its signature.
  const isSigned = row.file === 'codehost/webhook';
  // Counted by its use case, for agents too; the task of the other routes must exist first.
  const isSubmission = row.file === 'tasks/submit';
  return limit !== undefined && (!limit.isCountedInside || isSubmission) && !isSigned;
});

describe.each(counted)('$method $path', (route) => {
  let every: EveryRoute;
  let calls: CallCount;
  const table = shared();
  const limit: RateLimit = rateLimits[route.limit ?? 'CHANGE'];

  beforeAll(async () => {
    ({ every, calls } = await table);
  });
  beforeEach(() => calls.reset());

  it('answers 429 to a caller who has spent the limit, and changes nothing', async () => {
    await spend(limit, every, route);

    const reply = await every.call(route, validFor(route, every));

    expect(reply).toMatchObject({
      status: 429,
      body: { error: 'RATE_LIMIT_EXCEEDED' },
      headers: {
        'retry-after': expect.stringMatching(/^\d+$/),
        'x-ratelimit-limit': String(limit.limit),
        'x-ratelimit-remaining': '0',
      },
    });
    expect(calls.limits).toEqual(['UpdateItemCommand']);
    expect(calls.names.filter((name) => !/^(?:Get|BatchGet|Query|TransactGet)/.test(name))).toEqual([]);
  });
});

async function stage() {
  const table = await emptyTable();
  process.env.TABLE_NAME = table.name;
  const every = await everyRoute(table);
  const calls = countCalls((await import('../../../lambdas/shared/clients/documents.js')).table.client);
  return { table, every, calls };
}

let staged: ReturnType<typeof stage> | undefined;
function shared() {
  staged ??= stage();
  return staged;
}

/** Spends what the caller of a route has of the present window, and of the next one. */
async function spend(limit: RateLimit, { userId, adminId, ids }: EveryRoute, { auth }: Route): Promise<void> {
  const { table } = await shared();
  const person = auth.kind === 'superadmin' ? adminId : userId;
  const id = {
    person,
    address: viewer,
    workspace: String(ids.workspaceId),
    node: String(ids.nodeId),
    agent: '',
    project: String(ids.projectId),
  }[limit.per];
  const now = windowStart(limit, new Date());
  for (const start of [now, now + limit.windowSeconds]) {
    const Item = { ...rateWindowKey(limit, id, start), entity: 'rate-window', count: limit.limit };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
}

const viewer = '198.51.100.200';

/** A request that its contract takes: limits are counted once a request was understood. */
function validFor({ file, path, method }: Route, { ids }: EveryRoute): TestRequest {
  const contract = contractOf(file);
  if (!contract) throw new Error(`${file} has no contract`);
  const headers = { 'x-forwarded-for': `${viewer}, 203.0.113.7` };
  const provider = file.startsWith('credentials/') ? 'anthropic' : 'github';
  // Sign-in sessions have another form of id than chats.
  const sessionId = file.startsWith('auth/') ? 'A'.repeat(22) : String(ids.sessionId);
  const named = Object.entries({ ...ids, provider, sessionId, artifact: 'wip' }).filter(([name]) =>
    path.includes(`{${name}}`),
  );
  const params = Object.fromEntries(named);
  const query = sample(jsonSchema(contract.query, 'input')) as Record<string, string>;
  if (contract.bodyTypes.includes('multipart/form-data')) {
    const form =
      '--cut\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\na\r\n--cut--\r\n';
    return {
      params,
      query,
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=cut' },
      body: Buffer.from(form),
    };
  }
  const body = contract.example ?? sample(jsonSchema(contract.body, 'input'));
  const isCallback = path.includes('/callback') && method === 'GET';
  return {
    params,
    query: isCallback ? { state: 'x', code: 'y', ...query } : query,
    headers,
    ...(contract.takesBody ? { body } : {}),
  };
}
