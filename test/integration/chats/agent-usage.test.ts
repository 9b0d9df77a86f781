import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import {
  findSessionCredential,
  sessionCredentialItem,
} from '../../../lambdas/domain/credentials/session-credential.js';
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
  sessionId = newId();
  const { workspaceId, userId, projectId, generation } = workspace;
  const at = new Date().toISOString();
  await putItem(
    table,
    agentSessionItem({
      ...{ agentSessionId: sessionId, workspaceId, userId, projectId, generation, chatId: newId() },
      ...{ status: 'running', label: null, agentType: 'opencode', stoppedAt: null },
      ...{ createdAt: at, updatedAt: at },
    }),
  );
  await putItem(
    table,
    sessionCredentialItem({
      ...{
        workspaceId,
        agentSessionId: sessionId,
        provider: 'opencode',
        generation: 1,
        usedAt: at,
        windows: [],
      },
      ...{ owner: { kind: 'user', id: userId }, credentialReference: 'cc_credentials:cc-cred-1' },
    }),
  );
});

const window = (windowType: string, minute: number, utilizationPercent: number) => ({
  ...{ windowType, provider: 'opencode', source: 'go', status: 'allowed', utilizationPercent },
  observedAt: `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`,
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
      ...{ nodeId, workspaceId, agentType: 'opencode', source: 'go' },
      ...{ observedAt: '2026-11-21T10:00:00.000Z', rateLimits },
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
    await report([window('weekly', 5, 50), window('daily', 5, 10), window('weekly', 4, 40)]),
  ).toMatchObject({
    status: 204,
  });
  await report([window('weekly', 3, 30), window('daily', 7, 70)]);
  await report([window('daily', 7, 71)]);

  expect(await kept()).toEqual({ weekly: 50, daily: 70 });
  expect(await seenBySession()).toEqual({ weekly: 50, daily: 71 });
});

it('refuses figures from the future, which would replace all later ones, and stores nothing', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const sooner = new Date(Date.now() + 60_000).toISOString();

  expect(
    await report([
      { ...window('daily', 1, 10), observedAt: sooner },
      { ...window('weekly', 1, 99), observedAt: later },
    ]),
  ).toMatchObject({ status: 400, body: { details: [{ field: 'body.rateLimits.1.observedAt' }] } });

  expect(await kept()).toEqual({});
  await report([{ ...window('daily', 1, 10), observedAt: sooner }]);
  expect(await kept()).toEqual({ daily: 10 });
});

it('keeps no more windows of a credential than anybody would have', async () => {
  const invented = (from: number) => Array.from({ length: 16 }, (_, at) => window(`w${from + at}`, 1, 1));
  for (const from of [0, 16, 32, 48]) await report(invented(from));
  await report([window('w3', 2, 42)]);

  expect(Object.keys(await kept())).toHaveLength(32);
  expect(await kept()).toMatchObject({ w3: 42 });
});

it('keeps nothing of a session that the workspace does not have, or of another project', async () => {
  expect(await report([window('weekly', 5, 50)], { sessionId: newId() })).toMatchObject({ status: 404 });
  expect(await report([window('weekly', 5, 50)], { projectId: newId() })).toMatchObject({ status: 404 });

  expect(await kept()).toEqual({});
});
