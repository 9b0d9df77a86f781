import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { listPendingReconciles } from '../../../lambdas/domain/records/pending-reconcile.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { claimDeletion } from '../../../lambdas/domain/workspaces/claim-deletion.js';
import { confirmDeletion } from '../../../lambdas/domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { limits, pendingWorkspace, placedWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const now = new Date();

/** What happens between the caller's look at the workspace and its claim. */
const change = ({ workspaceId }: Workspace, set: Readonly<Record<string, unknown>>) =>
  changeWorkspace(table, { workspaceId, set, now });
const claim = (seen: Workspace) => claimDeletion(table, seen, now);
const present = async ({ workspaceId }: Workspace) => findWorkspace(table, workspaceId);

describe('a deletion is rejected', () => {
  it('when the row of the workspace is gone', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'stopped' });
    const Key = workspaceKey(workspace.workspaceId);
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));

    await expect(claim(workspace)).rejects.toMatchObject({ reason: 'workspace_missing' });

    expect(await present(workspace)).toBeUndefined();
  });

  it.each([
    ['is on another node', { nodeId: newId() }],
    ["is somebody else's", { userId: newId() }],
    ['is of another project', { projectId: newId() }],
    ['is on another node in another life', { nodeId: newId(), generation: 2 }],
  ])('when it %s by now', async (_, set) => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });
    await change(workspace, set);

    await expect(claim(workspace)).rejects.toMatchObject({ reason: 'workspace_assignment_changed' });

    expect(await present(workspace)).toMatchObject({ status: 'running', ...set });
    expect((await present(workspace))?.deletion).toBeUndefined();
  });

  it.each([
    ['has another generation', { generation: 2 }],
    ['runs again', { status: 'running' }],
    ['is being made again', { status: 'provisioning', generation: 2 }],
  ])('when it was stopped and %s by now', async (_, set) => {
    const { workspace } = await placedWorkspace(table, { status: 'stopped' });
    await change(workspace, set);

    await expect(claim(workspace)).rejects.toMatchObject({ reason: 'workspace_active' });

    expect((await present(workspace))?.deletion).toBeUndefined();
  });

  it('without writing anything, not even a marker', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'stopped' });
    await change(workspace, { generation: 2 });
    await claim(workspace).catch(() => {});

    const marked = (await listPendingReconciles(table)).map(({ id }) => id);

    expect(marked).not.toContain(workspace.workspaceId);
  });
});

describe('a deletion continues', () => {
  it('when the workspace became ready in between, and returns the new row', async () => {
    const { workspace } = await placedWorkspace(table);
    await change(workspace, { status: 'running', readyAt: now.toISOString() });

    expect(await claim(workspace)).toMatchObject({ attempt: 1, before: { status: 'running' } });
  });

  it('when the workspace got its first slot in between', async () => {
    const workspace = await pendingWorkspace(table);
    const { nodeId } = await placeWorkspace(table, workspace, {
      now,
      nodeIdFor: async () => newId(),
      limits,
    });

    expect(await claim(workspace)).toMatchObject({ before: { status: 'provisioning', nodeId } });
  });

  it('when the workspace was stopped in between', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });
    await change(workspace, { status: 'stopping' });

    expect(await claim(workspace)).toMatchObject({ before: { status: 'stopping' } });
  });

  it('in the attempt that another request started in between', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });
    await claim(workspace);
    const deletion = { attempt: 3, claimedAt: now.toISOString() };
    await change(workspace, { deletion });

    expect(await claim(workspace)).toMatchObject({ outcome: 'claimed', attempt: 3 });
    expect((await present(workspace))?.deletion).toEqual(deletion);
  });

  it('as confirmed when another request proved it in between', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'stopped' });
    await claim(workspace);
    await confirmDeletion(table, workspace, { proof: 'vm_agent_confirmed', now });

    expect(await claim(workspace)).toEqual({ outcome: 'already_deleted' });
  });
});
