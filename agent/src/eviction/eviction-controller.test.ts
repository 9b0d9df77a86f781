import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ContainerUse, NodePressureEvent, PressureEvent } from '../pressure/pressure.js';
import { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { FoundContainer } from './eviction-containers.js';
import { EvictionController } from './eviction-controller.js';
import type { EvictionTarget } from './eviction-target.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const second = 1_000;

function use(workspaceId: string, memoryBytes = 1): ContainerUse {
  const figures = { cpuPercent: 0, memoryBytes, memoryLimitBytes: 0, memoryPercent: 0, pids: 1 };
  return { id: `container-${workspaceId}`, name: '', workspaceId, ...figures, collectedAt: new Date(0) };
}

const chat = { sessionId: 's', chatSessionId: 'c', projectId: 'p' };

function fixture({ statuses = {} as Record<string, string>, without = [] as string[] } = {}) {
  const evicted: EvictionTarget[] = [];
  const recovered: string[] = [];
  const queue: PressureEvent[] = [];
  const state = {
    now: 100 * second,
    level: 'critical' as 'critical' | 'none',
    failure: null as Error | null,
  };
  const container = (id: string): FoundContainer => ({
    id: `container-${id}`,
    isRunning: true,
    startedAt: new Date(50 * second),
    finishedAt: new Date(0),
    diedOfMemory: false,
    memoryLimitBytes: 0,
  });
  const source = {
    events: async function* () {
      yield* queue.splice(0);
    },
    level: () => state.level,
    sample: async () => [use('hog', 9), use('other', 1)],
  };
  const controller = new EvictionController(
    { debounceMs: 30 * second, resolveTimeoutMs: 5 * second },
    {
      evictions: {
        evict: async (target) => {
          evicted.push(target);
          if (state.failure) throw state.failure;
          return true;
        },
      },
      // The controller reads no other members.
      store: {
        find: (workspaceId) =>
          ({ workspaceId, status: statuses[workspaceId] ?? 'running', isEvicted: false }) as Workspace,
      },
      records: {
        list: (workspaceId) =>
          without.includes(workspaceId) ? [] : ([{ ...chat, status: 'running' }] as never),
      },
      containers: {
        find: async (id) => container(id),
        largestProcess: async () => ({ name: 'node', bytes: 3 }),
      },
      recover: async (workspaceId) => void recovered.push(workspaceId),
      now: () => state.now,
      log,
    },
  );
  return { state, evicted, recovered, queue, source, controller };
}

const pressure = (collectedAt: number, level: 'warning' | 'critical' = 'critical'): NodePressureEvent => ({
  type: 'system_memory_pressure',
  level,
  collectedAt: new Date(collectedAt),
  containers: [],
});

/** Runs the loop over the events that are queued. */
async function follow({ queue, source, controller }: ReturnType<typeof fixture>, ...events: PressureEvent[]) {
  queue.push(...events);
  controller.start(source);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

it('evicts the largest workspace of a fresh sample, with what used the memory', async () => {
  const made = fixture();

  await follow(made, pressure(100 * second));

  expect(made.evicted).toEqual([
    expect.objectContaining({
      workspace: expect.objectContaining({ workspaceId: 'hog' }),
      containerId: 'container-hog',
      session: chat,
      reason: 'memory_pressure',
      cause: { usedBytes: 9, largestProcess: { name: 'node', bytes: 3 } },
    }),
  ]);
});

it('says that the node is short of disk', async () => {
  const made = fixture();

  await follow(made, { ...pressure(100 * second), type: 'disk_pressure' });

  expect(made.evicted[0]).toMatchObject({
    reason: 'memory_pressure',
    cause: { shortOf: 'disk', usedBytes: 9 },
  });
});

it.each([
  ['stopped', { statuses: { hog: 'stopped' } }],
  ['still being created', { statuses: { hog: 'creating' } }],
  ['without a chat of a project', { without: ['hog'] }],
])('passes over a workspace that is %s', async (_, given) => {
  const made = fixture(given);

  await follow(made, pressure(100 * second));

  expect(made.evicted.map(({ workspace }) => workspace.workspaceId)).toEqual(['other']);
});

it('does nothing at a warning, and when the pressure has passed', async () => {
  const made = fixture();

  await follow(made, pressure(100 * second, 'warning'));
  made.state.level = 'none';
  await follow(made, pressure(100 * second));

  expect(made.evicted).toEqual([]);
});

it('waits between attempts, also failed ones, and acts only on later samples', async () => {
  const made = fixture();
  made.state.failure = new Error('The snapshot failed');

  await follow(made, pressure(100 * second), pressure(100 * second));
  expect(made.evicted).toHaveLength(1);

  made.state.now = 129 * second;
  await follow(made, pressure(129 * second));
  made.state.now = 140 * second;
  await follow(made, pressure(100 * second));
  expect(made.evicted).toHaveLength(1);

  await follow(made, pressure(139 * second));
  expect(made.evicted).toHaveLength(2);
});

it('hands exactly the container that died of memory to the recovery', async () => {
  const made = fixture();
  const death = (changes: object): PressureEvent => ({
    type: 'container_oom',
    level: 'critical',
    containerId: 'container-hog',
    containerName: 'svc-ws-hog',
    workspaceId: 'hog',
    exitCode: 137,
    occurredAt: new Date(60 * second),
    ...changes,
  });

  await follow(
    made,
    death({ containerId: 'container-of-before' }),
    death({ occurredAt: new Date(40 * second) }),
    death({ workspaceId: undefined }),
  );
  expect(made.recovered).toEqual([]);

  await follow(made, death({}));
  expect(made.recovered).toEqual(['hog']);
});

it('ends before its source', async () => {
  const made = fixture();
  const silent = {
    ...made.source,
    events: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) }),
  };
  made.controller.start(silent);

  await expect(made.controller[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
