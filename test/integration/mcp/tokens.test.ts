import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { verifyMcpToken } from '../../../lambdas/domain/mcp-tokens/verify-mcp-token.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { countCalls } from '../../support/count-calls.js';
import { emptyTable } from '../../support/table.js';
import { type Agent, anAgent } from './an-agent.js';

let table: Table;
beforeAll(async () => {
  table = await emptyTable();
});

const start = new Date('2026-11-21T10:00:00.000Z');
const after = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const refused = { code: 'INVALID_TOKEN' };

it('identifies its agent in one table call', async () => {
  const { secret, draft, project, task } = await anAgent(table, start, { task: {} });
  const calls = countCalls(table.client);

  const caller = await verifyMcpToken(table, { secret, now: start });

  expect(caller.token).toMatchObject({ ...draft, contextType: 'task', createdAt: start.toISOString() });
  expect(caller).toMatchObject({ project, task, member: { role: 'maintainer' }, chat: { topic: 'A talk' } });
  expect(calls.names).toEqual(['BatchGetItemCommand']);
});

it('is stored as a hash only', async () => {
  const { secret, draft } = await anAgent(table, start);

  const { Items } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': `WORKSPACE#${draft.workspaceId}` },
    }),
  );

  expect(Items?.map(({ entity }) => entity)).toEqual(['mcp-token', 'agent-session', 'workspace']);
  expect(JSON.stringify(Items)).not.toContain(secret.split('.').at(-1));
});

it.each([
  ['nothing', () => ''],
  ['something else', () => 'x'.repeat(178)],
  ['one with a changed end', (secret: string) => `${secret.slice(0, -43)}${'A'.repeat(43)}`],
  ['one that names another person', (secret: string) => newId() + secret.slice(26)],
  ['one with more behind it', (secret: string) => `${secret}A`],
])('refuses %s', async (_what, changed) => {
  const { secret } = await anAgent(table, start);

  await expect(verifyMcpToken(table, { secret: changed(secret), now: start })).rejects.toMatchObject(refused);
});

it.each([
  ['its member is removed', ({ put }: Agent) => put.member({ status: 'removed' })],
  ['its project is detached', ({ put }: Agent) => put.project({ status: 'detached' })],
  ['its workspace is stopped', ({ put }: Agent) => put.workspace({ status: 'stopping' })],
  ['its workspace begins another life', ({ put }: Agent) => put.workspace({ generation: 2 })],
  ['its session is stopped', ({ put }: Agent) => put.session({ status: 'stopped' })],
  ['its task is completed', ({ put }: Agent) => put.task({ status: 'completed' })],
  ['its task is cancelled', ({ put }: Agent) => put.task({ status: 'cancelled' })],
])('is dead at once when %s', async (_what, happen) => {
  const agent = await anAgent(table, start, { task: {} });
  await verifyMcpToken(table, { secret: agent.secret, now: start });

  await happen(agent);

  await expect(verifyMcpToken(table, { secret: agent.secret, now: start })).rejects.toMatchObject(refused);
});

it('has the current role of its member', async () => {
  const { secret, put } = await anAgent(table, start);

  await put.member({ role: 'viewer' });

  expect(await verifyMcpToken(table, { secret, now: start })).toMatchObject({ member: { role: 'viewer' } });
});

it('expires eight hours after its last use', async () => {
  const { secret } = await anAgent(table, start);
  const verify = (hours: number) => verifyMcpToken(table, { secret, now: after(hours) });

  await verify(3.9);
  await verify(7.9);
  await verify(15.8);
  await expect(verify(23.9)).rejects.toMatchObject(refused);
});

it('expires after a day, also when it is used', async () => {
  const { secret } = await anAgent(table, start);
  const verify = (hours: number) => verifyMcpToken(table, { secret, now: after(hours) });

  for (const hours of [5, 10, 15, 20, 23.9]) await verify(hours);

  await expect(verify(24)).rejects.toMatchObject(refused);
});
