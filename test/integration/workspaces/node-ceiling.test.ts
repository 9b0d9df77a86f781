import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { deploymentNodesKey } from '../../../lambdas/domain/nodes/node-quota.js';
import { beginRemoval, markNodeRemoved } from '../../../lambdas/domain/nodes/removal.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { countCalls } from '../../support/count-calls.js';
import { limits, pendingWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';

const now = new Date();
const maxNodes = 3;
let table: Table;

beforeEach(async () => {
  table = await emptyTable();
});

const place = (workspace: Workspace) =>
  placeWorkspace(table, workspace, { now, nodeIdFor: async () => newId(), limits: { ...limits, maxNodes } });

async function counted(): Promise<readonly string[]> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: deploymentNodesKey, ConsistentRead: true }),
  );
  return [...((Item?.nodeIds as Set<string> | undefined) ?? [])];
}

describe('the nodes of a deployment', () => {
  it('never exceed the limit when requests race', async () => {
    const rivals = await Promise.all(Array.from({ length: 8 }, () => pendingWorkspace(table)));

    const placed = await Promise.allSettled(rivals.map(place));

    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxNodes);
    expect(await counted()).toHaveLength(maxNodes);
    expect(placed.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        name: 'NodeLimitReached',
        code: 'DEPLOYMENT_NODE_LIMIT_REACHED',
        message: expect.stringContaining('This deployment has 3 nodes (limit 3, setting maxNodes)'),
      },
    });
  });

  it('free exactly one entry when one is deleted, however often that is reported', async () => {
    const workspaces = await Promise.all(Array.from({ length: maxNodes }, () => pendingWorkspace(table)));
    const [first] = await Promise.all(workspaces.map(place));
    const [owner] = workspaces;
    if (!first || !owner) throw new Error('Nothing was placed');
    await releaseWorkspaceSlot(table, owner, { nodeConfirmed: true, now });
    await beginRemoval(table, { nodeId: first.nodeId, mode: 'delete', now });
    await expect(place(await pendingWorkspace(table))).rejects.toThrow('This deployment has 3 nodes');

    await markNodeRemoved(table, { nodeId: first.nodeId, mode: 'delete', now });
    const next = await place(await pendingWorkspace(table));
    await markNodeRemoved(table, { nodeId: first.nodeId, mode: 'delete', now });

    expect(await counted()).toHaveLength(maxNodes);
    expect(await counted()).toContain(next.nodeId);
    await expect(place(await pendingWorkspace(table))).rejects.toThrow('This deployment has 3 nodes');
  });

  it('are counted in the transaction that creates the node', async () => {
    const workspace = await pendingWorkspace(table);
    const calls = countCalls(table.client);

    await place(workspace);

    expect(calls.names).toEqual(['GetItemCommand', 'BatchGetItemCommand', 'TransactWriteItemsCommand']);
  });
});
