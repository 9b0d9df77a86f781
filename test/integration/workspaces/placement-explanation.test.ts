import { describe, expect, it } from 'vitest';
import { resourcesOf } from '../../../lambdas/domain/nodes/instance-types.js';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { reservationFor } from '../../../lambdas/domain/nodes/reservation.js';
import { retireOutdated } from '../../../lambdas/domain/nodes/retire-outdated.js';
import { waitForSlot } from '../../../lambdas/domain/workspaces/admission.js';
import { claimSlot } from '../../../lambdas/domain/workspaces/claim-slot.js';
import { NodeLimitReached } from '../../../lambdas/domain/workspaces/errors.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { explain, surveyHosts } from '../../../lambdas/domain/workspaces/survey-hosts.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { workspaceView } from '../../../lambdas/http/workspaces/workspace-view.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { countCalls } from '../../support/count-calls.js';
import { aNode, limits, pendingWorkspace, putNode } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const calls = countCalls(table.client);
const place = (workspace: Workspace, given = limits) =>
  placeWorkspace(table, workspace, { now: new Date(), nodeIdFor: async () => newId(), limits: given });

/** As a client reads it. */
async function shown({ workspaceId }: Workspace) {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace) throw new Error('There is no such workspace');
  return workspaceView(workspace, '{nodeUrl}');
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
const roomy = resourcesOf({ name: 'x', vcpu: 4, memoryGb: 16, diskGb: 140 });
const calm = { version: 1, cpuLoadAvg1: 0, memoryPercent: 0, diskPercent: 1 } as const;
const busy = { ...calm, memoryPercent: 93.4, creatingWorkspaces: 0, containers: [] };
const one = (requirements: Parameters<typeof reservationFor>[0]): Partial<Node> => ({
  slots: new Set(['X#1']),
  reservations: { 'X#1': reservationFor(requirements) },
});

describe('the explanation of a placement', () => {
  it.each<[string, string, Partial<Node>]>([
    ['retired', 'It accepts no further workspaces', { retiredAt: ago(1) }],
    ['not_running', 'It is stopping', { status: 'stopping' }],
    ['unhealthy', 'It has sent no heartbeat for 3 minutes', { lastHeartbeatAt: ago(200) }],
    ['saturated', 'It uses 93 % of its memory (limit 90 %)', { lastMetrics: busy }],
    ['at_capacity', 'It holds 1 workspaces (limit 1)', { ...one({}), capacity: 1 }],
    ['exclusive', 'has exclusiveNode', one({ exclusiveNode: true })],
    ['co_tenants', 'maxCoTenants', one({ maxCoTenants: 0 })],
    ['cpu_full', 'It has 1 vCPU left, and the workspace needs 2', one({ minVcpu: 7 })],
    ['memory_full', 'It has 3.5 GB of memory left, and the workspace needs 4', one({ minMemoryGb: 12 })],
    ['disk_full', 'It has 28 GB of disk left, and the workspace needs 40', one({ minDiskGb: 100 })],
  ])('names a node that is %s, and the type of the new node', async (code, words, node) => {
    const workspace = await pendingWorkspace(table);
    const given = { capacity: 8, resources: roomy, ...node };
    const { nodeId, name } = await putNode(table, aNode({ userId: workspace.userId, ...given }));

    const placement = await place(workspace);

    expect((await shown(workspace)).placementExplanation).toMatchObject({
      ...{ outcome: 'new_node', nodeId: placement.nodeId, instanceType: 'test.roomy' },
      hosts: [{ nodeId, name, code, reason: expect.stringContaining(words) }],
    });
  });

  it('has the chosen node first, then those that the strategy ranks lower', async () => {
    const workspace = await pendingWorkspace(table);
    const { userId } = workspace;
    const fuller = await putNode(table, aNode({ userId, ...one({}) }));
    const chosen = await putNode(table, aNode({ userId }));

    await place(workspace);

    expect((await shown(workspace)).placementExplanation).toMatchObject({
      ...{ outcome: 'running_node', nodeId: chosen.nodeId, strategy: 'balanced', moreHosts: 0 },
      hosts: [
        { nodeId: chosen.nodeId, code: 'chosen' },
        { nodeId: fuller.nodeId, code: 'ranked_lower' },
      ],
    });
  });

  it('says why a workspace waits, and is replaced when it is placed', async () => {
    const workspace = await pendingWorkspace(table);
    const oneNode = { ...limits, maxNodesPerUser: 1 };
    const full = aNode({ userId: workspace.userId, capacity: 1, ...one({}) });
    await putNode(table, full);

    const error = await place(workspace, oneNode).catch((failure: unknown) => failure);
    if (!(error instanceof NodeLimitReached)) throw error;
    await waitForSlot(table, workspace, { full: error, now: new Date() });

    expect((await shown(workspace)).placementExplanation).toMatchObject({
      ...{ outcome: 'waiting', nodeId: null },
      hosts: [{ nodeId: full.nodeId, code: 'at_capacity' }],
    });
    await place(workspace, { ...oneNode, maxNodesPerUser: 2 });
    expect((await shown(workspace)).placementExplanation?.outcome).toBe('new_node');
  });

  it('names 20 of more hosts, and counts the others', async () => {
    const workspace = await pendingWorkspace(table);
    const nodes = Array.from({ length: 33 }, () => aNode({ retiredAt: ago(1) }));
    const survey = surveyHosts(nodes, workspace, { strategy: 'pack', limits, now: new Date() });

    const { hosts, moreHosts } = explain(survey, { outcome: 'waiting' });

    expect([hosts.length, moreHosts]).toEqual([20, 13]);
  });

  it('costs a placement no further table call', async () => {
    const workspace = await pendingWorkspace(table);
    await putNode(table, aNode({ userId: workspace.userId, ...one({}), capacity: 1 }));

    calls.reset();
    await place(workspace);

    // The workspace, the ids of the nodes, the nodes, and the claim.
    expect(calls.names).toHaveLength(4);
  });
});

describe('a node of another agent build than the release', () => {
  it('gets no further workspace, and the explanation names the reason', async () => {
    const workspace = await pendingWorkspace(table);
    const { userId } = workspace;
    const old = await putNode(table, aNode({ userId, agentVersion: '1.0.0' }));
    const current = await putNode(table, aNode({ userId, agentVersion: '1.1.0' }));
    for (const { nodeId } of [old, current])
      await retireOutdated(table, { nodeId, agentVersion: '1.1.0', now: new Date() });

    expect(await place(workspace)).toMatchObject({ nodeId: current.nodeId, launch: false });
    expect((await shown(workspace)).placementExplanation?.hosts[1]).toMatchObject({
      nodeId: old.nodeId,
      code: 'other_agent_build',
    });
  });

  it('refuses a claim that was computed before the release', async () => {
    const workspace = await pendingWorkspace(table);
    const node = await putNode(table, aNode({ userId: workspace.userId }));
    const now = new Date();
    const survey = surveyHosts([node], workspace, { strategy: 'balanced', limits, now });
    const explanation = explain(survey, { outcome: 'running_node', node });
    await retireOutdated(table, { nodeId: node.nodeId, agentVersion: '1.1.0', now });

    expect(await claimSlot(table, { workspace, node, explanation, now })).toBe('node_changed');
  });
});

it('a workspace shows its reservation and the layer that it comes from', async () => {
  const [standard, asked] = await Promise.all([
    pendingWorkspace(table),
    pendingWorkspace(table, { resourceRequirements: { minVcpu: 4 } }),
  ]);
  const rest = { diskMb: 40_960, exclusiveNode: false, maxCoTenants: 4, sourceId: null, version: 1 };
  expect((await shown(standard)).resolvedReservation).toEqual({
    ...{ cpuMillis: 2_000, memoryMb: 4_096, source: 'platform', ...rest },
  });
  expect((await shown(asked)).resolvedReservation).toEqual({
    ...{ cpuMillis: 4_000, memoryMb: 4_096, source: 'request', ...rest },
  });
});
