import { statePaths } from '../config/config.js';
import { EvictionDeliveries } from '../eviction/deliveries.js';
import { EvictionDeliveryStore } from '../eviction/delivery-store.js';
import { EvictionContainers } from '../eviction/eviction-containers.js';
import { EvictionController } from '../eviction/eviction-controller.js';
import { type EvictedActivity, Evictions } from '../eviction/evictions.js';
import { SalvageContainers } from '../eviction/salvage-containers.js';
import { WorkInFlight } from '../eviction/work-in-flight.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import { ContainerRunner } from '../workspaces/container/container-runner.js';
import type { WorkspaceAgents } from '../workspaces/workspaces-deps.js';
import type { AgentServices } from './agents.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

export interface EvictionServices {
  readonly evictions: Evictions;
  readonly deliveries: EvictionDeliveries;
  readonly controller: EvictionController;
}

export interface EvictionSettings {
  readonly debounceMs: number;
  readonly snapshotTimeoutMs: number;
  readonly stopGraceSeconds: number;
  readonly callbackRetryMaxMs: number;
  readonly resolveTimeoutMs: number;
}

export const defaultEvictionSettings: EvictionSettings = {
  debounceMs: 30_000,
  snapshotTimeoutMs: 120_000,
  stopGraceSeconds: 10,
  callbackRetryMaxMs: 300_000,
  resolveTimeoutMs: 5_000,
};

const callbackTimeoutMs = 30_000;
/** After the stop: its records, and the ends of terminals and agents. */
const settleMs = 10_000;

interface EvictionSources {
  readonly workspaces: WorkspaceServices;
  readonly agents: Pick<AgentServices, 'sessions' | 'snapshots'>;
  readonly endings: Pick<WorkspaceAgents, 'suspendWorkspace'>;
}

/** Evictions of containers; null in the standalone role. */
export function composeEvictions(
  foundation: Foundation,
  { workspaces: services, agents, endings }: EvictionSources,
  settings: EvictionSettings = defaultEvictionSettings,
): EvictionServices | null {
  const { config, engine, storage, controlPlane, log } = foundation;
  if (!engine) return null;
  const { workspaces: store, database, events } = storage;
  const { records, hosts, fence: prompts } = agents.sessions;
  const { debounceMs, snapshotTimeoutMs, stopGraceSeconds, resolveTimeoutMs } = settings;
  const deliveryStore = new EvictionDeliveryStore(database, store, config.nodeId, Date.now);
  const containers = new EvictionContainers(engine, stopGraceSeconds);
  const { workspaces, commands } = services;
  const exclusively: Workspaces['exclusively'] = (...work) => workspaces.exclusively(...work);
  const deliveries = new EvictionDeliveries(
    {
      retryMs: debounceMs,
      retryMaxMs: settings.callbackRetryMaxMs,
      leaseMs: callbackTimeoutMs + resolveTimeoutMs + stopGraceSeconds * 1_500 + settleMs,
      timeoutMs: callbackTimeoutMs,
    },
    {
      store: deliveryStore,
      controlPlane: controlPlane.client,
      workspace: (workspaceId) => store.find(workspaceId),
      reconcile: (workspaceId) => exclusively(workspaceId, () => evictions.reconcile(workspaceId)),
      now: Date.now,
      log,
    },
  );
  const salvageRunner = new ContainerRunner(engine, SalvageContainers.nameOf);
  const evictions: Evictions = new Evictions(
    { snapshotTimeoutMs },
    {
      ...{
        store,
        records,
        deliveryStore,
        deliveries,
        containers,
        commands,
        prompts,
        exclusively,
        events,
        log,
      },
      salvages: new SalvageContainers(engine, config.nodeId),
      captures: agents.snapshots.captures,
      salvageCapture: new WorkspaceCapture(
        new WorkspaceCommands(salvageRunner),
        statePaths(config.stateDir).snapshots,
        log,
      ),
      work: new WorkInFlight({ records, hosts }),
      activity: activityOf(services, agents, endings),
    },
  );
  const controller = new EvictionController(
    { debounceMs, resolveTimeoutMs },
    {
      evictions,
      store,
      containers,
      recover: (workspaceId) => workspaces.recover(workspaceId),
      now: Date.now,
      log,
    },
  );
  return { evictions, deliveries, controller };
}

type Workspaces = WorkspaceServices['workspaces'];

function activityOf(
  { provisioner, terminals, runtime }: WorkspaceServices,
  { sessions: { sessions } }: EvictionSources['agents'],
  endings: EvictionSources['endings'],
): EvictedActivity {
  return {
    suspendAgents: (workspaceId, reason) => endings.suspendWorkspace(workspaceId, reason),
    resumeAgents: (workspaceId) => sessions.resumeWorkspace(workspaceId),
    failAgents: (workspaceId, message) => sessions.evictWorkspace(workspaceId, message),
    endOthers: async (workspaceId) => {
      await provisioner.abort(workspaceId);
      await terminals.closeWorkspace(workspaceId);
    },
    stopContainers: (workspaceId) => runtime.stop(workspaceId),
  };
}
