import { expect, it } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import type { Workspace } from '../workspaces/workspace.js';
import { deliveryId, EvictionDeliveryStore, type NewEviction } from './delivery-store.js';

const eviction: NewEviction = {
  projectId: 'project',
  containerId: 'container',
  reason: 'memory_pressure',
  isStopped: false,
  isWorkInFlight: true,
  cause: { usedBytes: 5 },
};
const id = deliveryId(workspaceId, '', 'container');
const delayMs = () => 60_000;

function fixture() {
  const state = new AgentState();
  const store = () =>
    new EvictionDeliveryStore(state.database, state.workspaces, { nodeId: 'node', now: () => 1_000 });
  const workspace = () => state.workspaces.find(workspaceId) as Workspace;
  return { state, store, workspace };
}

it('writes the fence and the report in one commit, once', () => {
  const { state, store, workspace } = fixture();
  const before = workspace();

  expect(store().record(before, eviction)).toMatchObject({
    id,
    container_stopped: false,
    work_in_flight: true,
  });
  expect(store().record(before, eviction)).toBeNull();

  state.reopen();
  expect(workspace()).toMatchObject({ status: 'running', isEvicted: true });
  expect(store().unstopped(workspace())).toMatchObject({ id, container_id: 'container' });
});

it('writes no report for a workspace that has changed', () => {
  const { store, workspace } = fixture();

  expect(store().record({ ...workspace(), evictionGeneration: 'other' }, eviction)).toBeNull();
  expect(store().find(deliveryId(workspaceId, 'other', 'container'))).toBeNull();
  expect(workspace().isEvicted).toBe(false);
});

it('marks the workspace evicted when its container has stopped', () => {
  const { store, workspace } = fixture();
  const row = store().record(workspace(), eviction);
  if (!row) throw new Error('No row');

  expect(store().stopped(workspace(), row)).toBe(true);
  expect(store().stopped(workspace(), row)).toBe(false);
  expect(store().withdraw(workspace())).toBe(false);

  expect(workspace()).toMatchObject({
    status: 'evicted',
    errorMessage: 'workspace evicted due to memory pressure',
  });
  expect(store().find(id)).toMatchObject({ container_stopped: true, payload_revision: 2 });
});

it('withdraws a fence whose container goes on, with its report', () => {
  const { store, workspace } = fixture();
  store().record(workspace(), eviction);

  expect(store().withdraw(workspace())).toBe(true);

  expect(workspace()).toMatchObject({ status: 'running', isEvicted: false });
  expect(store().find(id)).toBeNull();
});

it('claims a report before it is sent, and not again within the lease', () => {
  const { store, workspace } = fixture();
  store().record(workspace(), eviction);

  expect(store().claim({ now: 999, delayMs })).toBeNull();
  expect(store().claim({ now: 1_000, delayMs, id: 'other' })).toBeNull();
  expect(store().claim({ now: 1_000, delayMs })).toMatchObject({ id, attempts: 1 });
  expect(store().claim({ now: 60_999, delayMs })).toBeNull();
  expect(store().claim({ now: 61_000, delayMs })).toMatchObject({ id, attempts: 2 });
});

it('keeps a report that has changed since it was sent', () => {
  const { store, workspace } = fixture();
  store().record(workspace(), eviction);
  const sent = store().claim({ now: 1_000, delayMs });
  if (!sent) throw new Error('No row');
  store().stopped(workspace(), sent);

  store().end(sent);
  expect(store().find(id)).not.toBeNull();

  const again = store().claim({ now: 61_000, delayMs });
  if (!again) throw new Error('No row');
  store().end(again);
  expect(store().find(id)).toBeNull();
});

it('is cleared by a restart with its generation only, and lost with the workspace', () => {
  const { state, store, workspace } = fixture();
  const row = store().record(workspace(), { ...eviction, isStopped: true });
  expect(row).toMatchObject({ container_stopped: true });
  const restart = { from: ['evicted'], provisionKind: 'restart', generation: 2, callbackToken: 't' } as const;

  expect(state.workspaces.restartOrRebuild(workspace(), restart)).toBe(false);
  expect(
    state.workspaces.restartOrRebuild(workspace(), { ...restart, eviction: { from: 'x', to: 'y' } }),
  ).toBe(false);
  expect(
    state.workspaces.restartOrRebuild(workspace(), { ...restart, eviction: { from: '', to: 'y' } }),
  ).toBe(true);
  expect(workspace()).toMatchObject({ status: 'creating', isEvicted: false, evictionGeneration: 'y' });
  expect(store().find(id)).not.toBeNull();

  state.workspaces.finishDeletion(workspaceId);
  expect(store().find(id)).toBeNull();
});

it('ends with a rebuild before the stop', () => {
  const { state, store, workspace } = fixture();
  store().record(workspace(), eviction);

  const { generation, callbackToken } = workspace();
  const [provisionKind, from] = ['rebuild', ['running']] as const;
  const rebuild = { provisionKind, from, generation, callbackToken, eviction: { from: '', to: 'next' } };
  expect(state.workspaces.restartOrRebuild(workspace(), rebuild)).toBe(true);

  expect(store().find(id)).toBeNull();
});
