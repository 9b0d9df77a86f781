import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { CertificateAuthority } from '../../../local/certificate-authority.js';
import { signIn } from '../../support/sign-in.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load(['workspaces/delete', 'workspaces/get']);
});

afterAll(() => routes[Symbol.asyncDispose]());

describe('deleting a workspace', () => {
  it('confirms at once when the node confirms, and confirms a repeat', async () => {
    const { workspace, node } = await routes.onNode({ status: 'running' });
    const params = { workspaceId: workspace.workspaceId };
    routes.node.requests = [];

    const first = await routes.call('workspaces/delete', { params });
    const again = await routes.call('workspaces/delete', { params });

    expect(routes.node.seen).toEqual([`DELETE /workspaces/${workspace.workspaceId}`]);
    expect(first).toMatchObject({ status: 200, body: { success: true, deletionStatus: 'confirmed' } });
    expect(again.status).toBe(200);
    expect((await routes.call('workspaces/get', { params })).status).toBe(404);
    expect((await findNode(routes.table, node.nodeId))?.slots).toBeUndefined();
  });

  it('answers pending when the node does not answer', async () => {
    const { workspace } = await routes.onNode({ status: 'running', nodeUrl: 'https://127.0.0.1:1' });

    const reply = await routes.call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply).toMatchObject({
      status: 202,
      body: {
        deletionStatus: 'pending',
        workspaceStatus: 'stopping',
        reason: 'runtime_deletion_unconfirmed',
      },
    });
  });

  it('trusts only the stored certificate of the node', async () => {
    const other = await (await CertificateAuthority.open(mkdtempSync(join(tmpdir(), 'berth-ca-')))).issue([
      'x',
    ]);
    const { workspace } = await routes.onNode({
      status: 'running',
      nodeCertificatePem: other.certificatePem,
    });
    routes.node.requests = [];

    const reply = await routes.call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(202);
    expect(routes.node.seen).toEqual([]);
  });

  it("is rejected for an unknown workspace, and in the same words for another person's", async () => {
    const { workspace } = await routes.onNode({ status: 'running' });
    const stranger = await signIn(routes.table);
    const rejected = {
      status: 409,
      body: {
        success: false,
        deletionStatus: 'rejected',
        workspaceStatus: 'unchanged',
        reason: 'workspace_missing',
      },
    };

    for (const workspaceId of [newId(), workspace.workspaceId]) {
      const reply = await routes.call('workspaces/delete', { params: { workspaceId } }, stranger);
      expect(reply).toMatchObject(rejected);
    }
    expect(await findWorkspace(routes.table, workspace.workspaceId)).toEqual(workspace);
  });

  it.each([
    ['workspace_missing', async (Key: object) => removeRow(Key)],
    ['workspace_assignment_changed', async (_: object, id: string) => changeRow(id, { nodeId: newId() })],
    ['workspace_active', async (_: object, id: string) => changeRow(id, { generation: 2 })],
  ])('is rejected as %s when that comes between the look at it and the claim', async (reason, change) => {
    const { workspace } = await routes.onNode({ status: 'stopped' });
    const { workspaceId } = workspace;
    routes.node.requests = [];
    afterNextRead(workspaceId, () => change(workspaceKey(workspaceId), workspaceId));

    const reply = await routes.call('workspaces/delete', { params: { workspaceId } });

    expect(reply).toMatchObject({
      status: 409,
      body: { success: false, deletionStatus: 'rejected', workspaceStatus: 'unchanged', reason },
    });
    expect(routes.node.seen).toEqual([]);
    expect((await findWorkspace(routes.table, workspaceId))?.deletion).toBeUndefined();
  });

  const removeRow = (Key: object) =>
    routes.table.client.send(new DeleteCommand({ TableName: routes.table.name, Key: { ...Key } }));
  const changeRow = (workspaceId: string, set: Partial<Workspace>) =>
    changeWorkspace(routes.table, { workspaceId, set, now: new Date() });

  /**
   * Lets something happen right after the next read of this workspace, before its reader goes on.
   */
  function afterNextRead(workspaceId: string, happen: () => Promise<unknown>): void {
    const name = `afterNextRead-${workspaceId}`;
    routes.table.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          if (commandName !== 'GetItemCommand' || !JSON.stringify(args.input).includes(workspaceId)) {
            return result;
          }
          routes.table.client.middlewareStack.remove(name);
          await happen();
          // What that has sent is not the route's.
          routes.forgetCalls();
          return result;
        },
      { step: 'initialize', name },
    );
  }

  it('ignores the reply of a node to which the request may still be in flight', async () => {
    const { workspace } = await routes.onNode({ readyAt: null });
    routes.node.requests = [];

    const reply = await routes.call('workspaces/delete', { params: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(202);
    expect(routes.node.seen).toEqual([]);
  });
});
