import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { InstanceType } from '../../lambdas/domain/nodes/instance-types.js';
import { type Node, nodeItem } from '../../lambdas/domain/nodes/node.js';
import { countNode, nodeQuotaKey } from '../../lambdas/domain/nodes/node-quota.js';
import { transact } from '../../lambdas/domain/records/transact.js';
import type { PlacementLimits } from '../../lambdas/domain/workspaces/claim-slot.js';
import { insertWorkspace, newWorkspace } from '../../lambdas/domain/workspaces/insert-workspace.js';
import {
  placedOn,
  slotOf,
  type Workspace,
  workspaceItem,
} from '../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';

/** A machine for more workspaces than a node holds. */
export const roomyType: InstanceType = {
  name: 'test.roomy',
  ...{ vcpu: 64, memoryGb: 256, diskGb: 2_048 },
};

export const limits: PlacementLimits = {
  offer: { types: [roomyType], cpuOvercommit: 2 },
  ...{ nodeCapacity: 3, saturationPercent: 90, maxNodesPerUser: 10, maxNodes: 1_000 },
};

/** A running node. Nothing listens on its port. */
export function aNode(overrides: Partial<Node> = {}, now = new Date()): Node {
  const at = now.toISOString();
  return {
    nodeId: newId(),
    userId: newId(),
    name: 'node-a',
    status: 'running',
    role: 'workspace',
    capacity: 3,
    slotsChangedAt: at,
    launchedFor: newId(),
    instanceId: 'i-0123456789abcdef0',
    host: '127.0.0.1',
    ipAddress: '127.0.0.1',
    port: 1,
    certificatePem: null,
    agentVersion: '1.0.0',
    agentReadyAt: at,
    lastHeartbeatAt: at,
    lastMetrics: null,
    errorMessage: null,
    createdAt: at,
    updatedAt: at,
    ...overrides,
  };
}

/** A workspace as the request for it writes it. */
export function aNewWorkspace(overrides: Partial<Workspace> = {}, now = new Date()): Workspace {
  const asked = {
    workspaceId: newId(),
    userId: newId(),
    projectId: null,
    displayName: 'hello',
    repository: 'octo/hello',
    cloneUrl: 'https://code.example/octo/hello.git',
    installationId: '1',
    branch: 'main',
    resourceRequirements: overrides.resourceRequirements ?? null,
  };
  return { ...newWorkspace(asked, now), ...overrides };
}

/** A running workspace. */
export function aWorkspace(overrides: Partial<Workspace> = {}, now = new Date()): Workspace {
  const at = now.toISOString();
  return aNewWorkspace({ status: 'running', dispatchedAt: at, readyAt: at, ...overrides }, now);
}

/** A node that counts towards the quota of its owner. */
export async function putNode(table: Table, node: Node): Promise<Node> {
  await transact(table, [
    { put: nodeItem(node), when: {} },
    countNode(nodeQuotaKey(node.userId), node.nodeId, { limit: 1_000 }),
  ]);
  return node;
}

export async function putWorkspace(table: Table, workspace: Workspace): Promise<Workspace> {
  await table.client.send(new PutCommand({ TableName: table.name, Item: workspaceItem(workspace) }));
  return workspace;
}

/** Writes a new workspace as the request for it does. */
export async function pendingWorkspace(table: Table, overrides: Partial<Workspace> = {}): Promise<Workspace> {
  const workspace = aNewWorkspace(overrides);
  await insertWorkspace(table, workspace, undefined);
  return workspace;
}

/** Writes a workspace on a node of its own, as CreateOnNode leaves it while it waits. */
export async function placedWorkspace(
  table: Table,
  overrides: Partial<Workspace> = {},
  nodeOverrides: Partial<Node> = {},
): Promise<{ readonly workspace: Workspace; readonly node: Node }> {
  const nodeId = newId();
  const at = new Date().toISOString();
  const workspace = aNewWorkspace({
    status: 'provisioning',
    nodeId,
    nodeUrl: 'https://127.0.0.1:1',
    dispatchedAt: at,
    taskToken: 'token-of-create',
    waitingStep: 'create-on-node',
    ...overrides,
  });
  const node = await putNode(
    table,
    aNode({
      nodeId,
      userId: workspace.userId,
      slots: new Set([slotOf(workspace)]),
      launchedFor: workspace.workspaceId,
      ...nodeOverrides,
    }),
  );
  await table.client.send(
    new PutCommand({
      TableName: table.name,
      Item: { ...workspaceItem(workspace), ...placedOn(nodeId, workspace.workspaceId) },
    }),
  );
  return { workspace, node };
}
