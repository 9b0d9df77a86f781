import { statePaths } from '../config/config.js';
import { EvictionDeliveries } from '../eviction/deliveries.js';
import { EvictionDeliveryStore } from '../eviction/delivery-store.js';
import type { EvictedActivity } from '../eviction/evicted-activity.js';
import { EvictionContainers } from '../eviction/eviction-containers.js';
import { EvictionController } from '../eviction/eviction-controller.js';
import { EvictionStops } from '../eviction/eviction-stops.js';
import { Evictions } from '../eviction/evictions.js';
import { SalvageContainers } from '../eviction/salvage-containers.js';
import { Salvages } from '../eviction/salvages.js';
import { WorkInFlight } from '../eviction/work-in-flight.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { readKernelKill } from '../pressure/kernel-kill.js';
import { WorkspaceCapture } from '../snapshots/workspace-capture.js';
import { ContainerRunner } from '../workspaces/container/container-runner.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import type { WorkspaceAgents } from '../workspaces/workspaces-deps.js';
import type { AgentServices } from './agents.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

export interface EvictionServices {
  readonly stops: EvictionStops;
  readonly salvages: Salvages;
  readonly deliveries: EvictionDeliveries;
  readonly controller: EvictionController;
}

const callbackTimeoutMs = 30_000;
/** After the stop: its records, and the ends of terminals and agents. */
const settleMs = 10_000;

export interface EvictionSources {
  readonly engine: DockerEngine;
  readonly workspaces: WorkspaceServices;
  readonly agents: Pick<AgentServices, 'sessions' | 'snapshots'>;
  readonly endings: Pick<WorkspaceAgents, 'suspendWorkspace'>;
}

/** Evictions of containers. */
export function composeEvictions(foundation: Foundation, sources: EvictionSources): EvictionServices {
  const { config, storage, log } = foundation;
  const { engine, workspaces: services, agents } = sources;
  const { eviction: settings } = config;
  const { workspaces: store, database, events } = storage;
  const { records, hosts, fence: prompts } = agents.sessions;
  const { captures } = agents.snapshots;
  const { workspaces, commands } = services;
  const deliveryStore = new EvictionDeliveryStore(database, store, { nodeId: config.nodeId, now: Date.now });
  const watch = services.containers?.watch;
  const containers = new EvictionContainers(engine, {
    stopTimeoutMs: settings.dockerStopTimeoutMs,
    wasEndedByClient: (...run) => watch?.wasEndedByClient(...run) ?? false,
  });
  const activity = activityOf(sources);
  const stops = new EvictionStops({ store, deliveryStore, containers, activity, events, log });
  const deliveries = composeDeliveries(foundation, sources, { stops, store: deliveryStore });
  const work = new WorkInFlight({ records, hosts });
  const exclusively: Workspaces['exclusively'] = (...args) => workspaces.exclusively(...args);
  const shared = { store, records, containers, stops, deliveries, captures, work, prompts, exclusively, log };
  const evictions = new Evictions(settings, { ...shared, commands });
  const helpers = new SalvageContainers(engine, config.nodeId);
  const capture = helperCapture(foundation, engine);
  const salvages = new Salvages(settings, {
    ...{ ...shared, helpers, capture, activity, events },
    kernelKill: (containerId) => readKernelKill(containerId),
  });
  const recover = (workspaceId: string) => workspaces.recover(workspaceId);
  const controller = new EvictionController(settings, { ...shared, evictions, recover, now: Date.now });
  return { stops, salvages, deliveries, controller };
}

type Workspaces = WorkspaceServices['workspaces'];

function composeDeliveries(
  { config, storage, controlPlane, log }: Foundation,
  { workspaces }: EvictionSources,
  { stops, store }: { readonly stops: EvictionStops; readonly store: EvictionDeliveryStore },
): EvictionDeliveries {
  const { debounceMs, callbackRetryMaxMs, resolveTimeoutMs, dockerStopTimeoutMs } = config.eviction;
  return new EvictionDeliveries(
    {
      retryMs: debounceMs,
      retryMaxMs: callbackRetryMaxMs,
      leaseMs: callbackTimeoutMs + resolveTimeoutMs + dockerStopTimeoutMs * 1.5 + settleMs,
      timeoutMs: callbackTimeoutMs,
    },
    {
      store,
      controlPlane: controlPlane.client,
      workspace: (workspaceId) => storage.workspaces.find(workspaceId),
      reconcile: (workspaceId) =>
        workspaces.workspaces.exclusively(workspaceId, () => stops.reconcile(workspaceId)),
      now: Date.now,
      log,
    },
  );
}

/** Reads the files of a workspace in the helper of its dead container. */
function helperCapture({ config, log }: Foundation, engine: DockerEngine): WorkspaceCapture {
  const commands = new WorkspaceCommands(new ContainerRunner(engine, SalvageContainers.nameOf));
  return new WorkspaceCapture(commands, statePaths(config.stateDir).snapshots, log);
}

function activityOf({ workspaces: services, agents, endings }: EvictionSources): EvictedActivity {
  const { provisioner, terminals, runtime } = services;
  const { sessions, records } = agents.sessions;
  return {
    suspendAgents: (workspaceId, reason) => endings.suspendWorkspace(workspaceId, reason),
    resumeAgents: (workspaceId) => sessions.resumeWorkspace(workspaceId),
    failAgents: (workspaceId, message) => records.evictWorkspace(workspaceId, message),
    endOthers: async (workspaceId) => {
      await provisioner.abort(workspaceId);
      await terminals.closeWorkspace(workspaceId);
    },
    stopContainers: (workspaceId) => runtime.stop(workspaceId),
  };
}
