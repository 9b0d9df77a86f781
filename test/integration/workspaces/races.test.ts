import { describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { listPendingReconciles } from '../../../lambdas/domain/records/pending-reconcile.js';
import { claimDeletion } from '../../../lambdas/domain/workspaces/claim-deletion.js';
import { confirmDeletion } from '../../../lambdas/domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { awaitCallback, markErrored, markReady } from '../../../lambdas/domain/workspaces/provisioning.js';
import { releaseWorkspaceSlot } from '../../../lambdas/domain/workspaces/release-slot.js';
import { claimStop, markStopped } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { pendingWorkspace, placedWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const now = new Date();
const lifeOf = ({ workspaceId, generation, nodeId }: Workspace) => ({
  workspaceId,
  generation,
  nodeId: nodeId ?? '',
});

const ready = (workspace: Workspace) => markReady(table, lifeOf(workspace), { status: 'running', now });
const stop = ({ workspaceId, userId }: Workspace) => claimStop(table, { workspaceId, userId, now });
const statusOf = async ({ workspaceId }: Workspace) => (await findWorkspace(table, workspaceId))?.status;

describe('a stop', () => {
  it('wins over a later ready callback, and returns the token of the waiting step', async () => {
    const { workspace } = await placedWorkspace(table);

    const claim = await stop(workspace);
    const late = await ready(workspace);

    expect(claim).toMatchObject({ status: 'stopping', taskToken: 'token-of-create' });
    expect(late.accepted).toBe(false);
    expect(await statusOf(workspace)).toBe('stopping');
  });

  it('has one winner in a race with the ready callback', async () => {
    const { workspace } = await placedWorkspace(table);

    await Promise.all([stop(workspace), ready(workspace)]);

    expect(await statusOf(workspace)).toBe('stopping');
  });

  it('writes nothing when it is refused, not even a marker', async () => {
    const workspaceId = newId();

    await expect(claimStop(table, { workspaceId, userId: newId(), now })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });

    expect((await listPendingReconciles(table)).map(({ id }) => id)).not.toContain(workspaceId);
  });

  it('prevents later writes of a task token', async () => {
    const { workspace } = await placedWorkspace(table);
    await stop(workspace);

    const late = awaitCallback(table, {
      ...lifeOf(workspace),
      step: 'create-on-node',
      taskToken: 'late',
      now,
    });

    await expect(late).rejects.toMatchObject({ name: 'WorkspaceStopped' });
    expect((await findWorkspace(table, workspace.workspaceId))?.taskToken).toBe('token-of-create');
  });

  it('returns the present status when repeated', async () => {
    const { workspace, node } = await placedWorkspace(table, { status: 'running' });
    await stop(workspace);

    expect(await stop(workspace)).toMatchObject({ status: 'stopping', taskToken: 'token-of-create' });
    await markStopped(table, workspace, { nodeConfirmed: true, now });
    await markStopped(table, workspace, { nodeConfirmed: true, now });

    expect(await stop(workspace)).toMatchObject({ status: 'stopped' });
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
  });

  it('is refused for an errored workspace, and answers 404 to a stranger', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'errored' });

    await expect(stop(workspace)).rejects.toMatchObject({
      message: expect.stringContaining('Workspace is errored'),
    });
    await expect(stop({ ...workspace, userId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a ready callback', () => {
  it('is accepted when repeated', async () => {
    const { workspace } = await placedWorkspace(table);

    const first = await ready(workspace);
    const second = await ready(workspace);

    expect([first.accepted, second.accepted]).toEqual([true, true]);
    expect(second.workspace.version).toBe(first.workspace.version);
  });

  it.each([
    ['an earlier generation', { generation: 0 }],
    ['another node', { nodeId: newId() }],
  ])('of %s is gone', async (_, other) => {
    const { workspace } = await placedWorkspace(table);

    const stale = markReady(table, { ...lifeOf(workspace), ...other }, { status: 'running', now });

    await expect(stale).rejects.toMatchObject({ kind: 'gone' });
  });
});

describe('the fence before an undo', () => {
  const errored = (workspace: Workspace) => markErrored(table, workspace, { errorMessage: 'It broke', now });

  it('prevents a late ready callback', async () => {
    const { workspace, node } = await placedWorkspace(table);

    const undo = await errored(workspace);
    const late = await ready(workspace);
    await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });

    expect(undo).toEqual({ undo: true, dispatched: true });
    expect(late.accepted).toBe(false);
    expect(await statusOf(workspace)).toBe('errored');
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
  });

  it('undoes nothing of a workspace that runs', async () => {
    const { workspace } = await placedWorkspace(table);
    await ready(workspace);

    expect(await errored(workspace)).toEqual({ undo: false });
    expect(await statusOf(workspace)).toBe('running');
  });

  it('keeps the status of a stopped workspace and undoes its provisioning', async () => {
    const { workspace } = await placedWorkspace(table);
    await stop(workspace);

    expect(await errored(workspace)).toEqual({ undo: true, dispatched: true });
    expect(await statusOf(workspace)).toBe('stopping');
  });
});

describe('a deletion', () => {
  const claim = async ({ workspaceId }: Workspace) => {
    const seen = await findWorkspace(table, workspaceId);
    if (!seen) throw new Error('It is there');
    return claimDeletion(table, seen, now);
  };

  it('ends with a proof: out of the lists, slot released, a repeat confirmed', async () => {
    const { workspace, node } = await placedWorkspace(table, { status: 'running' });
    await claim(workspace);

    const confirmed = await confirmDeletion(table, workspace, { proof: 'vm_agent_confirmed', now });

    expect(confirmed).toBe(true);
    expect(await claim(workspace)).toEqual({ outcome: 'already_deleted' });
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
  });

  it('is one attempt however often it is requested', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });

    const claims = await Promise.all([claim(workspace), claim(workspace), claim(workspace)]);

    expect(claims).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ attempt: 1 })));
  });

  it('cannot be confirmed before it is claimed', async () => {
    const workspace = await pendingWorkspace(table);

    const early = await confirmDeletion(table, workspace, { proof: 'workspace_never_started', now });

    expect(early).toBe(false);
    expect(await statusOf(workspace)).toBe('pending');
  });

  it('is not ended by a stop that runs at the same time', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running' });
    await stop(workspace);
    await claim(workspace);

    await markStopped(table, workspace, { nodeConfirmed: true, now });

    expect(await statusOf(workspace)).toBe('stopping');
  });

  it('is confirmed when the row of its node is gone', async () => {
    const workspace = await pendingWorkspace(table, { nodeId: newId() });
    await claim(workspace);

    expect(await confirmDeletion(table, workspace, { proof: 'node_runtime_terminated', now })).toBe(true);
  });
});
