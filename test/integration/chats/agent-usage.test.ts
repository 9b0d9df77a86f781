import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import {
  findSessionCredential,
  sessionCredentialItem,
} from '../../../lambdas/domain/credentials/session-credential.js';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';

let table: Table;
let calls: CallCount;
let invoke: Invoke;
let workspace: Workspace;
let sessionId: string;

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  invoke = await loadRoute('callbacks/agent-usage');
  calls = countCalls(table.client);
});

beforeEach(async () => {
  ({ workspace } = await placedWorkspace(table, { status: 'running', projectId: newId() }));
  sessionId = await anotherSession();
});

/** A session of the workspace with a credential. */
async function anotherSession(): Promise<string> {
  const agentSessionId = newId();
  const { workspaceId, userId, projectId, generation } = workspace;
  const at = new Date().toISOString();
  await putItem(
    table,
    agentSessionItem({
      ...{ agentSessionId, workspaceId, userId, projectId, generation, chatId: newId() },
      ...{ status: 'running', label: null, agentType: 'opencode', stoppedAt: null },
      ...{ createdAt: at, updatedAt: at },
    }),
  );
  await putItem(
    table,
    sessionCredentialItem({
      ...{
        workspaceId,
        agentSessionId,
        provider: 'opencode',
        generation: 1,
        usedAt: at,
        windows: [],
      },
      ...{ owner: { kind: 'user', id: userId }, credentialReference: 'cc_credentials:cc-cred-1' },
    }),
  );
  return agentSessionId;
}

const start = Date.now() - 3_600_000;

/** @param minute after the start of the tests' hour */
const window = (name: string, minute: number, utilizationPercent: number) => ({
  ...{ windowType: `opencode.${name}`, provider: 'opencode', source: 'vm-agent.acp_usage_update' },
  ...{ status: 'allowed', utilizationPercent },
  observedAt: new Date(start + minute * 60_000).toISOString(),
});

async function report(
  rateLimits: readonly object[],
  ids: Partial<{ sessionId: string; projectId: string }> = {},
) {
  const { workspaceId, nodeId, generation, projectId } = workspace;
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
  calls.reset();
  const reply = await invoke({
    params: { projectId: projectId ?? '', sessionId, ...ids },
    headers: { authorization: `Bearer ${token}` },
    body: {
      ...{ nodeId, workspaceId, agentType: 'opencode', source: 'vm-agent.acp_usage_update' },
      ...{ observedAt: new Date().toISOString(), rateLimits },
    },
  });
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.POST);
  return reply;
}

/** Percentages by window. */
async function kept(): Promise<Record<string, number>> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :owner AND begins_with(sk, :usage)',
      ExpressionAttributeValues: { ':owner': `USER#${workspace.userId}`, ':usage': 'USAGE#opencode#' },
      ConsistentRead: true,
    }),
  );
  return Object.fromEntries(Items.map(({ window }) => [window.windowType, window.utilizationPercent]));
}

/** The same, as the session's own use has it. */
async function seenBySession(): Promise<Record<string, number | undefined>> {
  const use = await findSessionCredential(table, { ...workspace, agentSessionId: sessionId });
  return Object.fromEntries(
    (use?.windows ?? []).map(({ windowType, utilizationPercent }) => [windowType, utilizationPercent]),
  );
}

it('keeps the newest figures of each window, in whatever order they come', async () => {
  expect(
    await report([window('weekly', 5, 50), window('monthly', 5, 10), window('weekly', 4, 40)]),
  ).toMatchObject({
    status: 204,
  });
  await report([window('weekly', 3, 30), window('monthly', 7, 70)]);
  await report([window('monthly', 7, 71)]);

  expect(await kept()).toEqual({ 'opencode.weekly': 50, 'opencode.monthly': 70 });
  expect(await seenBySession()).toEqual({ 'opencode.weekly': 50, 'opencode.monthly': 71 });
});

it('refuses figures from the future, which would replace all later ones, and stores nothing', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const sooner = new Date(Date.now() + 60_000).toISOString();

  expect(
    await report([
      { ...window('monthly', 1, 10), observedAt: sooner },
      { ...window('weekly', 1, 99), observedAt: later },
    ]),
  ).toMatchObject({ status: 400, body: { details: [{ field: 'body.rateLimits.1.observedAt' }] } });

  expect(await kept()).toEqual({});
  await report([{ ...window('monthly', 1, 10), observedAt: sooner }]);
  expect(await kept()).toEqual({ 'opencode.monthly': 10 });
});

it.each([
  ['an unknown window', { windowType: 'opencode.hourly' }, 'windowType'],
  ['a window of another provider', { windowType: 'codex.primary' }, 'windowType'],
  ['an unknown provider', { provider: 'acme' }, 'provider'],
  ['an unknown source', { source: 'somewhere' }, 'source'],
  ['a figure of two days ago', { observedAt: new Date(start - 2 * 86_400_000).toISOString() }, 'observedAt'],
  [
    'a reset in nine days',
    { windowType: 'opencode.weekly', resetsAt: new Date(start + 9.1 * 86_400_000).toISOString() },
    'resetsAt',
  ],
])('refuses %s, and stores nothing', async (_, change, field) => {
  const reply = await report([window('rolling', 1, 10), { ...window('monthly', 1, 10), ...change }]);

  expect(reply).toMatchObject({ status: 400, body: { details: [{ field: `body.rateLimits.1.${field}` }] } });
  expect(await kept()).toEqual({});
});

it('accepts the reset of a month, at most 16 windows, and at most 32 KiB', async () => {
  const resetsAt = new Date(start + 31 * 86_400_000).toISOString();
  const many = (count: number) => Array.from({ length: count }, () => window('rolling', 1, 10));

  expect(await report([{ ...window('monthly', 1, 10), resetsAt }])).toMatchObject({ status: 204 });
  expect(await report(many(16))).toMatchObject({ status: 204 });
  expect(await report(many(17))).toMatchObject({ status: 400 });
  expect(await report([{ ...window('rolling', 1, 10), source: 'x'.repeat(32_768) }])).toMatchObject({
    status: 413,
  });
});

it('ignores figures of another provider than that of the credential', async () => {
  const other = { provider: 'openai', windowType: 'codex.primary' };

  expect(await report([{ ...window('weekly', 1, 99), ...other }])).toMatchObject({ status: 204 });

  expect(await kept()).toEqual({});
  expect(await seenBySession()).toEqual({});
});

it('keeps nothing of a session that the workspace does not have, or of another project', async () => {
  expect(await report([window('weekly', 5, 50)], { sessionId: newId() })).toMatchObject({ status: 404 });
  expect(await report([window('weekly', 5, 50)], { projectId: newId() })).toMatchObject({ status: 404 });

  expect(await kept()).toEqual({});
});

it('counts the reports of each session of a workspace apart', async () => {
  const now = Date.now();
  const limit = rateLimits.CREDENTIAL_USAGE;
  const other = sessionId;
  sessionId = await anotherSession();
  const fill = (id: string, at: Date) =>
    putItem(table, {
      ...rateWindowKey(limit, id, windowStart(limit, at)),
      ...{
        entity: 'rate-window',
        schemaVersion: 1,
        count: limit.limit,
        expiresAt: Math.ceil(now / 1_000) + 900,
      },
    });
  // Also the next window: the minute may turn here.
  for (const at of [new Date(now), new Date(now + 60_000)]) await fill(other, at);

  expect(await report([window('weekly', 1, 10)], { sessionId: other })).toMatchObject({ status: 429 });
  expect(await report([window('weekly', 1, 10)])).toMatchObject({
    status: 204,
    headers: { 'x-ratelimit-limit': '120' },
  });
});
