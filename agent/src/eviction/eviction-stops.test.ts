import { expect, it } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { EvictionDeliveryStore } from './delivery-store.js';
import type { FoundContainer } from './eviction-containers.js';
import { EvictionStops } from './eviction-stops.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const eviction = {
  ...{ projectId: 'project', containerId: 'container', reason: 'memory_pressure' as const },
  ...{ isStopped: false, isWorkInFlight: false, cause: null },
} as const;
const found: FoundContainer = {
  id: 'container',
  isRunning: true,
  startedAt: new Date(0),
  finishedAt: new Date(0),
  diedOfMemory: false,
  memoryLimitBytes: 0,
};

/** @param steps says what is done, and may fail */
function fixture(steps: (step: string) => void = () => undefined) {
  const state = new AgentState();
  const seen: string[] = [];
  let container: FoundContainer | null = found;
  const step = (name: string) => {
    seen.push(name);
    steps(name);
  };
  const workspace = () => state.workspaces.find(workspaceId) as Workspace;
  const stops = () =>
    new EvictionStops({
      store: state.workspaces,
      deliveryStore: new EvictionDeliveryStore(state.database, state.workspaces, {
        nodeId: 'node',
        now: () => 0,
      }),
      containers: {
        find: async () => {
          step('find');
          return container;
        },
        stop: async () => {
          step(workspace().isEvicted ? 'stop behind the fence' : 'stop without a fence');
          container = { ...found, isRunning: false };
        },
      },
      activity: {
        suspendAgents: async (_, reason) => step(`agents end: ${reason}`),
        resumeAgents: () => step('agents go on'),
        failAgents: (_, message) => step(message),
        endOthers: async () => step('terminals end'),
        stopContainers: async () => step('all containers stop'),
      },
      events: { add: ({ type }) => step(type) },
      log,
    });
  const replaceContainer = (changes: Partial<FoundContainer>) => {
    container = { ...found, ...changes };
  };
  return { state, workspace, stops, seen, replaceContainer };
}

const failing =
  (...names: readonly string[]) =>
  (step: string) => {
    if (names.includes(step)) throw new Error(step);
  };

it('writes the fence, ends the agents, stops the container and marks the workspace, in this order', async () => {
  const { stops, workspace, seen } = fixture();

  expect(await stops().begin(workspace(), eviction)).not.toBeNull();

  expect(seen).toEqual([
    'agents end: memory_pressure',
    'stop behind the fence',
    'workspace evicted due to memory pressure',
    'workspace.evicted',
    'terminals end',
    'all containers stop',
  ]);
  expect(workspace()).toMatchObject({ status: 'evicted', isEvicted: true });
});

it('lets a workspace go on whose container could not be stopped', async () => {
  const { stops, workspace, seen } = fixture(failing('stop behind the fence'));

  await expect(stops().begin(workspace(), eviction)).rejects.toThrow('stop behind the fence');

  expect(workspace()).toMatchObject({ status: 'running', isEvicted: false });
  expect(seen.slice(-2)).toEqual(['agents go on', 'workspace.eviction_withdrawn']);
});

it('keeps the fence while nobody knows whether the container runs, and stops it later', async () => {
  let isAway = true;
  const { stops, workspace, seen } = fixture((step) => {
    if (isAway && ['stop behind the fence', 'find'].includes(step)) throw new Error('The engine is away');
  });

  await expect(stops().begin(workspace(), eviction)).rejects.toThrow('The engine is away');
  expect(workspace()).toMatchObject({ status: 'running', isEvicted: true });

  isAway = false;
  await stops().reconcile(workspaceId);
  expect(workspace()).toMatchObject({ status: 'evicted' });
  expect(seen).toContain('workspace.evicted');
});

it.each(['agents end: memory_pressure', 'workspace evicted due to memory pressure', 'terminals end'])(
  'is ended by the next run of the agent after a crash at: %s',
  async (at) => {
    let isCrash = true;
    const { state, stops, workspace, seen } = fixture((step) => {
      if (isCrash && step === at) throw new Error('crash');
    });
    await stops()
      .begin(workspace(), eviction)
      .catch(() => undefined);
    isCrash = false;
    state.reopen();

    await stops().reconcile(workspaceId);

    expect(workspace()).toMatchObject({ status: 'evicted', isEvicted: true });
    expect(seen.filter((step) => step === 'stop behind the fence')).toHaveLength(1);
    expect(seen.lastIndexOf('workspace evicted due to memory pressure')).toBeGreaterThan(
      seen.indexOf(at) - 1,
    );
  },
);

it('does not stop another container than the one that was captured', async () => {
  const { stops, workspace, seen, replaceContainer } = fixture(failing('agents end: memory_pressure'));
  await stops()
    .begin(workspace(), eviction)
    .catch(() => undefined);
  replaceContainer({ id: 'other' });

  await stops().reconcile(workspaceId);

  expect(workspace()).toMatchObject({ status: 'running', isEvicted: false });
  expect(seen).not.toContain('stop behind the fence');
});

it('marks a workspace whose container is dead already, without a stop', async () => {
  const { stops, workspace, seen } = fixture();

  await stops().begin(workspace(), { ...eviction, reason: 'oom_kill', isStopped: true });

  expect(workspace()).toMatchObject({
    status: 'evicted',
    errorMessage: 'workspace evicted after container OOM',
  });
  expect(seen).not.toContain('stop behind the fence');
});
