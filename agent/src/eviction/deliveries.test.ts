import { expect, it } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { EvictionDeliveries } from './deliveries.js';
import { deliveryId, EvictionDeliveryStore } from './delivery-store.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const times = { retryMs: 30_000, retryMaxMs: 300_000, leaseMs: 60_000, timeoutMs: 30_000 };
const id = deliveryId(workspaceId, '', 'container');

function fixture({ isStopped = true } = {}) {
  const state = new AgentState();
  let now = 0;
  const store = new EvictionDeliveryStore(state.database, state.workspaces, {
    nodeId: 'node',
    now: () => now,
  });
  const workspace = state.workspaces.find(workspaceId) as Workspace;
  const cause = { usedBytes: 7, limitBytes: 8 };
  store.record(workspace, {
    ...{ projectId: 'project', containerId: 'container', isStopped, isWorkInFlight: true, cause },
    reason: 'oom_kill',
  });
  const sent: unknown[] = [];
  const answers: Error[] = [];
  const reconciled: string[] = [];
  const deliveries = new EvictionDeliveries(times, {
    store,
    controlPlane: {
      post: async (callback: unknown) => {
        sent.push(callback);
        const failure = answers.shift();
        if (failure) throw failure;
        return null as never;
      },
    },
    workspace: (named) => state.workspaces.find(named),
    reconcile: async (named) => void reconciled.push(named),
    now: () => now,
    log,
  });
  const at = (ms: number) => {
    now = ms;
    return deliveries.deliver();
  };
  return { state, store, deliveries, sent, answers, reconciled, at };
}

const refused = (status: number) => new CallbackRefused('eviction', { status, code: '', reason: '' });

it('reports the eviction with the token of the workspace, once', async () => {
  const { deliveries, sent, store } = fixture();

  await deliveries.deliver(id);
  await deliveries.deliver();

  expect(sent).toEqual([
    expect.objectContaining({
      path: `/api/projects/project/workspaces/${workspaceId}/eviction`,
      token: 'token-1',
      body: {
        nodeId: 'node',
        workspaceId,
        reason: 'oom_kill',
        snapshotCaptured: true,
        containerStopped: true,
        workInFlight: true,
        cause: { usedBytes: 7, limitBytes: 8 },
      },
    }),
  ]);
  expect(store.find(id)).toBeNull();
});

it.each([404, 410])('ends with the answer %i', async (status) => {
  const { deliveries, answers, store } = fixture();
  answers.push(refused(status));

  await deliveries.deliver();

  expect(store.find(id)).toBeNull();
});

it.each([
  ['401', refused(401)],
  ['409', refused(409)],
  ['an unavailable control plane', new CallbackUnavailable('503')],
])('repeats after %s: never within the lease, then less often', async (_, failure) => {
  const { at, answers, sent } = fixture();
  answers.push(failure, failure, failure);

  await at(0);
  await at(59_999);
  expect(sent).toHaveLength(1);
  await at(60_000);
  await at(119_999);
  expect(sent).toHaveLength(2);
  await at(120_000);
  // 30 s doubled twice is 120 s.
  await at(239_999);
  expect(sent).toHaveLength(3);
  await at(240_000);
  expect(sent).toHaveLength(4);
});

it('stops the container of a fence before it reports', async () => {
  const { deliveries, sent, reconciled, store } = fixture({ isStopped: false });

  await deliveries.deliver();

  expect(reconciled).toEqual([workspaceId]);
  expect(sent).toEqual([]);
  expect(store.find(id)).not.toBeNull();
});
