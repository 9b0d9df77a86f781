import { beforeEach, describe, expect, it } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { recordHeartbeat } from '../../../lambdas/domain/nodes/node-reports.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { claimSleep } from '../../../lambdas/domain/snapshots/claim-sleep.js';
import { failSleep } from '../../../lambdas/domain/snapshots/fail-sleep.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { readIdleRows } from '../../../lambdas/domain/workspaces/idle-rows.js';
import type { IdleRows } from '../../../lambdas/domain/workspaces/idle-rules.js';
import { restOf } from '../../../lambdas/domain/workspaces/idle-rules.js';
import { claimIdleStop } from '../../../lambdas/domain/workspaces/idle-stop.js';
import { recordUse } from '../../../lambdas/domain/workspaces/record-use.js';
import { markStopped } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepNode } from '../../../lambdas/sweeps/sweep-node.js';
import { countCalls } from '../../support/count-calls.js';
import { aProject, putItem } from '../../support/project.js';
import { aNode, placedWorkspace, putNode } from '../../support/records.js';
import { allSagas } from '../../support/sagas.js';
import { sharedTable } from '../../support/table.js';
import { testObjects } from '../../support/uploads.js';
import { chatPlace, putOpenChat } from './open-chat.js';

const table = sharedTable();
const minute = 60_000;
const now = new Date();
const ago = (minutes: number) => new Date(now.getTime() - minutes * minute).toISOString();

let started: string[];
// No saga runs here: the sweep only has to start them.
const stepFunctions = {
  send: async ({ input }: { input: { name?: string } }) => started.push(input.name ?? '') && {},
} as unknown as Sweep['stepFunctions'];

/** The machine of a silent node still runs. */
const ec2 = {
  send: async () => ({ Reservations: [{ Instances: [{ InstanceId: 'i-1', State: { Name: 'running' } }] }] }),
};

const sweepAt = (at: Date): Sweep => ({
  table,
  stepFunctions,
  fleet: { client: ec2 as unknown as Sweep['fleet']['client'], deploymentId: 'test' },
  zone: undefined,
  objects: testObjects(),
  sagas: allSagas(stepFunctions),
  now: at,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  budgets: newBudgets(),
});

beforeEach(() => {
  started = [];
});

/** A workspace that was ready `minutes` ago and has not been used since. */
function unused(minutes: number, row: Partial<Workspace> = {}, node: Partial<Node> = {}) {
  const at = ago(minutes);
  const times = { createdAt: at, readyAt: at, statusChangedAt: at, updatedAt: at };
  const running = { status: 'running', taskToken: undefined, waitingStep: undefined } as const;
  return placedWorkspace(
    table,
    { ...running, ...times, ...row },
    { lastHeartbeatAt: now.toISOString(), createdAt: at, ...node },
  );
}

async function aProjectWith(settings: NonNullable<ReturnType<typeof aProject>['settings']>) {
  const project = aProject({ settings });
  await putItem(table, projectItem(project));
  return project.projectId;
}

const statusOf = async ({ workspaceId }: Workspace) => (await findWorkspace(table, workspaceId))?.status;

describe('a workspace without a chat', () => {
  it('is stopped when nobody has used it for two hours', async () => {
    const due = await unused(121);
    const young = await unused(119);
    const used = await unused(300, { lastUsedAt: ago(100) });
    const kept = await unused(300, { keptAwakeUntil: ago(-1) });

    for (const { node } of [due, young, used, kept]) await sweepNode(sweepAt(now), node.nodeId);

    expect(started).toEqual([`${due.workspace.workspaceId}-1-stop`]);
    expect(await statusOf(due.workspace)).toBe('stopping');
    expect(await statusOf(kept.workspace)).toBe('running');
  });

  it('is stopped after the time of its project', async () => {
    const projectId = await aProjectWith({ workspaceIdleTimeoutMs: 30 * minute });
    const due = await unused(31, { projectId });
    const young = await unused(29, { projectId });

    for (const { node } of [due, young]) await sweepNode(sweepAt(now), node.nodeId);

    expect([await statusOf(due.workspace), await statusOf(young.workspace)]).toEqual(['stopping', 'running']);
  });

  it('keeps running on a node that sends no heartbeats, which may have use to report', async () => {
    const { workspace, node } = await unused(200, {}, { lastHeartbeatAt: ago(4) });

    await sweepNode(sweepAt(now), node.nodeId);

    expect(await statusOf(workspace)).toBe('running');
  });

  it('keeps running when a use comes between the read and the stop', async () => {
    const { workspace, node } = await unused(200);
    const { workspaceId } = workspace;
    const rows = await readIdleRows(table, workspaceId);
    await recordUse(table, { nodeId: node.nodeId, workspaceIds: [workspaceId], now });

    expect(rows && (await claimIdleStop(table, rows.workspace, now))).toBe(false);
    expect(await statusOf(workspace)).toBe('running');
  });
});

describe('a workspace with an open chat', () => {
  const withChat = async (minutes: number, row: Partial<Chat> = {}) => {
    const place = chatPlace();
    const { workspace, node } = await unused(minutes, place);
    const chat = await putOpenChat(table, workspace, { row, at: new Date(ago(minutes)) });
    return { workspace, node, chat };
  };
  const sleepOf = async ({ workspaceId }: Workspace) => (await findWorkspace(table, workspaceId))?.sleep;

  it('begins to sleep 15 minutes after its last activity', async () => {
    const due = await withChat(16);
    const young = await withChat(14);
    const waits = await withChat(60, { queuedPrompts: 1 });
    const written = await withChat(60, { lastMessageAt: ago(14) });

    for (const { node } of [due, young, waits, written]) await sweepNode(sweepAt(now), node.nodeId);

    const sleep = await sleepOf(due.workspace);
    expect(sleep).toMatchObject({ by: 'idle', phase: 'capturing' });
    expect(started).toEqual([`${due.workspace.workspaceId}-1-sleep-${sleep?.claimId}`]);
    for (const { workspace } of [young, waits, written]) expect(await sleepOf(workspace)).toBeUndefined();
  });

  it('keeps awake when a use comes between the read and the claim', async () => {
    const { workspace, node } = await withChat(16);
    const { workspaceId } = workspace;
    const isDue = (rows: IdleRows) => (restOf(rows)?.dueAt ?? now) < now;
    const request = { workspaceId, by: 'idle', isDue, now, newId } as const;
    await recordUse(table, { nodeId: node.nodeId, workspaceIds: [workspaceId], now });

    await expect(claimSleep(table, request)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    expect(await sleepOf(workspace)).toBeUndefined();
  });

  it('is left alone while the pause after a failed sleep lasts', async () => {
    const { workspace, node } = await withChat(16);
    const { workspaceId } = workspace;
    await sweepNode(sweepAt(now), node.nodeId);
    const claimId = (await sleepOf(workspace))?.claimId ?? '';
    const failed = { workspaceId, generation: 1, claimId, message: 'No answer', isCancelled: false };
    await failSleep(table, { ...failed, isFallback: false, isUnverified: false, now });
    started = [];

    const later = new Date(now.getTime() + minute);
    await recordHeartbeat(table, node.nodeId, {
      heartbeat: { agentVersion: '1', activeWorkspaces: 1 },
      now: later,
    });
    await sweepNode(sweepAt(later), node.nodeId);

    expect(started).toEqual([]);
  });

  it('begins at most ten sleeps in one pass', async () => {
    const sweep = sweepAt(now);
    for (let count = 0; count < 11; count += 1) await sweepNode(sweep, (await withChat(16)).node.nodeId);

    expect(started).toHaveLength(10);
  });
});

describe('a use', () => {
  it('is written once a minute, and only for a workspace of the node that reports it', async () => {
    const { workspace, node } = await unused(200);
    const use = (nodeId: string, seconds: number) =>
      recordUse(table, {
        nodeId,
        workspaceIds: [workspace.workspaceId],
        now: new Date(now.getTime() + seconds * 1_000),
      });
    const lastUsedAt = async () => (await findWorkspace(table, workspace.workspaceId))?.lastUsedAt;

    await use((await putNode(table, aNode())).nodeId, 0);
    expect(await lastUsedAt()).toBeUndefined();
    await use(node.nodeId, 0);
    await use(node.nodeId, 49);
    expect(await lastUsedAt()).toBe(now.toISOString());
    await use(node.nodeId, 60);
    expect(await lastUsedAt()).toBe(new Date(now.getTime() + 60_000).toISOString());
  });
});

describe('a node', () => {
  it('older than a day ends its workspaces when nobody has used one of them for two hours', async () => {
    const silent = { createdAt: ago(1_500), lastHeartbeatAt: ago(500) };
    const abandoned = await unused(400, {}, silent);
    const used = await unused(400, { lastUsedAt: ago(100) }, silent);

    for (const { node } of [abandoned, used]) await sweepNode(sweepAt(now), node.nodeId);

    expect([await statusOf(abandoned.workspace), await statusOf(used.workspace)]).toEqual([
      'stopping',
      'running',
    ]);
  });

  it('waits for the next workspace as long as the project of the last one says', async () => {
    const projectId = await aProjectWith({ warmNodeTimeoutMs: 5 * minute });
    const { workspace, node } = await unused(60, { projectId, status: 'stopping' });
    await markStopped(table, workspace, { nodeConfirmed: true, now });

    await sweepNode(sweepAt(new Date(now.getTime() + 4.9 * minute)), node.nodeId);
    expect(started).toEqual([]);
    await sweepNode(sweepAt(new Date(now.getTime() + 5 * minute)), node.nodeId);

    expect(started).toEqual([`${node.nodeId}-delete-1`]);
  });

  it('loses a slot that no workspace has held for 45 minutes, and is removed', async () => {
    const node = await putNode(
      table,
      aNode({
        createdAt: ago(90),
        slotsChangedAt: ago(46),
        slots: new Set(['01JD0000000000000000000000#1']),
      }),
    );

    await sweepNode(sweepAt(now), node.nodeId);
    expect((await findNode(table, node.nodeId))?.slots).toBeUndefined();
    await sweepNode(sweepAt(now), node.nodeId);

    expect(started).toEqual([`${node.nodeId}-delete-1`]);
  });
});

describe('one pass', () => {
  it('begins at most 25 removals of nodes', async () => {
    const sweep = sweepAt(now);
    for (let count = 0; count < 26; count += 1) {
      const { nodeId } = await putNode(table, aNode({ slotsChangedAt: ago(31) }));
      await sweepNode(sweep, nodeId);
    }

    expect(started).toHaveLength(25);
  });

  it('reads a node and its workspaces in two calls while none of them can be idle', async () => {
    const { node } = await unused(10);
    const calls = countCalls(table.client);

    await sweepNode(sweepAt(now), node.nodeId);

    expect(calls.names).toEqual(['GetItemCommand', 'QueryCommand']);
  });
});
