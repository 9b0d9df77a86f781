import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Node, nodeItem } from '../../lambdas/domain/nodes/node.js';
import { type Workspace, workspaceItem } from '../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';

const at = '2026-11-21T10:00:00.000Z';

/** A running node, with what a test says otherwise. */
export const aNode = (overrides: Partial<Node> = {}): Node => ({
  nodeId: newId(),
  userId: newId(),
  name: 'node',
  status: 'running',
  role: 'workspace',
  capacity: 3,
  slotsChangedAt: at,
  launchedFor: newId(),
  instanceId: 'i-0123456789abcdef0',
  host: '127.0.0.1',
  ipAddress: '127.0.0.1',
  port: 8443,
  certificatePem: null,
  agentVersion: '0.1.0',
  agentReadyAt: at,
  lastHeartbeatAt: at,
  lastMetrics: null,
  errorMessage: null,
  createdAt: at,
  updatedAt: at,
  ...overrides,
});

/** A running workspace, with what a test says otherwise. */
export const aWorkspace = (overrides: Partial<Workspace> = {}): Workspace => ({
  workspaceId: newId(),
  userId: newId(),
  projectId: null,
  displayName: 'workspace',
  repository: 'octo/hello',
  cloneUrl: 'http://localhost/octo/hello.git',
  installationId: '5001',
  branch: 'main',
  resourceRequirements: null,
  status: 'running',
  generation: 1,
  version: 1,
  statusChangedAt: at,
  nodeId: null,
  nodeUrl: null,
  nodeCertificatePem: null,
  dispatchedAt: at,
  readyAt: at,
  errorMessage: null,
  createdAt: at,
  updatedAt: at,
  ...overrides,
});

export async function putNode(table: Table, node: Node): Promise<Node> {
  await table.client.send(new PutCommand({ TableName: table.name, Item: nodeItem(node) }));
  return node;
}

export async function putWorkspace(table: Table, workspace: Workspace): Promise<Workspace> {
  await table.client.send(new PutCommand({ TableName: table.name, Item: workspaceItem(workspace) }));
  return workspace;
}
