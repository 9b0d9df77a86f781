import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import { Log } from '../shared/log.js';
import { Provisioner } from './provisioner.js';
import { Workspaces } from './workspaces.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const request = {
  workspaceId,
  generation: 2,
  repository: null,
  cloneUrl: null,
  branch: null,
  callbackToken: 'token-2',
};

/**
 * A fake runtime: the first provisioning succeeds at once, later ones never end. The control plane
 * does not answer.
 */
function unansweredCallbacks() {
  const store = new AgentState().workspaces;
  const callbackSignals: AbortSignal[] = [];
  const seen: string[] = [];
  const answer = Promise.withResolvers<void>();
  const runtime = {
    provision: async () => 'running',
    restartOrRebuild: async (_: unknown, { signal }: { signal: AbortSignal }) => {
      seen.push('restarting');
      await once(signal, 'abort');
      seen.push('aborted');
      signal.throwIfAborted();
    },
    runs: async () => false,
    stop: async () => void seen.push('stopping'),
  };
  const callbacks = {
    ready: async (_: unknown, signal: AbortSignal) => {
      callbackSignals.push(signal);
      const ended = once(signal, 'abort').then(() => signal.throwIfAborted());
      await Promise.race([ended, answer.promise]);
    },
  };
  const shared = { store, runtime, events: { add: () => undefined }, log };
  const agents = {
    stopWorkspace: async () => undefined,
    suspendWorkspace: async () => undefined,
    resumeWorkspace: () => undefined,
  };
  const provisioner = new Provisioner(
    { buildSlots: 1, timeoutMs: 60_000, progressIntervalMs: 60_000 },
    // The test uses no other members.
    { ...shared, callbacks, agents, bootLog: { add: () => undefined } } as never,
  );
  const none = { closeWorkspace: async () => undefined };
  const quarantine = { has: () => false, release: () => undefined };
  const workspaces = new Workspaces({
    ...shared,
    provisioner,
    quarantine,
    terminals: none,
    agents,
  } as never);
  return { store, workspaces, callbackSignals, seen, answered: () => answer.resolve() };
}

it('aborts the callback of a workspace that has ended, and can be stopped during the restart', async () => {
  const { store, workspaces, callbackSignals, seen, answered } = unansweredCallbacks();
  await workspaces.create(request);
  await vi.waitFor(() => expect(callbackSignals).toHaveLength(1));

  await workspaces.recover(workspaceId);
  await vi.waitFor(() => expect(seen).toEqual(['restarting']));
  answered();
  await nextTurn();
  await workspaces.stop(workspaceId);

  expect(seen).toEqual(['restarting', 'aborted', 'stopping']);
  expect(store.find(workspaceId)?.status).toBe('stopped');
  expect(callbackSignals[0]?.aborted).toBe(true);
});
