import { beforeAll, beforeEach, expect, it } from 'vitest';
import { requestKey } from '../../../lambdas/domain/idempotency/request-key.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { functionEnv } from '../../support/function-env.js';
import { sharedTable } from '../../support/table.js';

// A person keeps a bounded number of workspaces, however many are asked for at once.

const limit = 3;

let table: Table;
let insertWorkspace: typeof import('../../../lambdas/domain/workspaces/insert-workspace.js').insertWorkspace;
let confirmDeletion: typeof import('../../../lambdas/domain/workspaces/confirm-deletion.js').confirmDeletion;
let claimDeletion: typeof import('../../../lambdas/domain/workspaces/claim-deletion.js').claimDeletion;
let aNewWorkspace: typeof import('../../support/records.js').aNewWorkspace;
let userId: string;

beforeAll(async () => {
  Object.assign(process.env, functionEnv, { MAX_WORKSPACES_PER_USER: String(limit) });
  table = sharedTable();
  ({ aNewWorkspace } = await import('../../support/records.js'));
  ({ insertWorkspace } = await import('../../../lambdas/domain/workspaces/insert-workspace.js'));
  ({ confirmDeletion } = await import('../../../lambdas/domain/workspaces/confirm-deletion.js'));
  ({ claimDeletion } = await import('../../../lambdas/domain/workspaces/claim-deletion.js'));
});
beforeEach(() => {
  userId = newId();
});

const another = () => ({ ...aNewWorkspace({ userId }), workspaceId: newId() });
const refusal = { code: 'WORKSPACE_LIMIT_REACHED', message: expect.stringContaining(`limit ${limit}`) };

it('keeps no more than the limit of workspaces that are asked for at once', async () => {
  const asked = await Promise.allSettled(Array.from({ length: 8 }, () => insertWorkspace(table, another())));

  const refused = asked.filter((one) => one.status === 'rejected');
  expect(refused).toHaveLength(8 - limit);
  for (const { reason } of refused) expect(reason).toMatchObject(refusal);
});

it('takes another one after a deletion, and answers a repeat at the limit', async () => {
  const workspaces = [another(), another(), another()];
  const creation = requestKey('key', {});
  for (const [index, workspace] of workspaces.entries())
    await insertWorkspace(table, workspace, index === 0 ? { creation } : {});
  await expect(insertWorkspace(table, another())).rejects.toMatchObject(refusal);

  expect(await insertWorkspace(table, another(), { creation })).toEqual({
    workspaceId: workspaces[0]?.workspaceId,
  });
  const now = new Date();
  const [, doomed] = workspaces;
  if (!doomed) throw new Error('Three were made');
  await claimDeletion(table, doomed, now);
  expect(await confirmDeletion(table, doomed, { proof: 'workspace_never_started', now })).toBe(true);

  await insertWorkspace(table, another());
  await expect(insertWorkspace(table, another())).rejects.toMatchObject(refusal);
});
