import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { Reservation } from '../../../../protocol/node-api.js';
import { harnessMount } from '../../harness/harness-store.js';
import { repositoryFolder, type Workspace } from '../workspace.js';
import { type DeclaredPorts, noPorts } from './declared-ports.js';
import { containerLabels, dockerName, labels, labelsOf, runMount, workspacesMount } from './docker-names.js';
import { noServices, type Services } from './service-plan.js';

/** Waits for a stop signal, with nothing but a shell of the image. */
const idle = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done';

/** When memory runs out, the kernel ends processes of workspaces before the agent. */
export const oomScoreAdjust = 500;
/** Of coding agents and what they run: they are more likely to end than the first process. */
export const harnessOomScoreAdjust = 600;

/**
 * Capabilities of root in a container: own files, become other users (sudo, apt), listen on low
 * ports. Of the engine's defaults, raw sockets, device files and changing capabilities are missing.
 */
export const capabilities = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETFCAP'],
  ...['NET_BIND_SERVICE', 'SYS_CHROOT', 'AUDIT_WRITE'],
];

/** Own IPC and control-group namespaces. The client's types omit the second. */
export const namespaces = { IpcMode: 'private', CgroupnsMode: 'private' };

interface ContainerPlace {
  readonly nodeId: string;
  readonly plan: ContainerPlan;
  readonly network: string;
  readonly limits: ContainerLimits;
  readonly variables: Readonly<Record<string, string>>;
  /** Folder of this machine that is mounted at `runMount`. */
  readonly runFolder: string;
  /** Folder of this machine that is mounted at `harnessMount`; null when there is none. */
  readonly harnesses: string | null;
}

export function workDirOf(workspace: Pick<Workspace, 'settings'>): string {
  return `${workspacesMount}/${repositoryFolder(workspace.settings)}`;
}

/**
 * The settings for Docker. They contain no secret: `docker inspect` shows them to everyone on the
 * machine.
 */
export function containerSettings(workspace: Workspace, place: ContainerPlace): ContainerCreateOptions {
  const { workspaceId, generation } = workspace;
  const { plan } = place;
  const environment: Record<string, string> = {
    ...plan.environment,
    GIT_CONFIG_SYSTEM: `${runMount}/gitconfig`,
    ...place.variables,
  };
  return {
    name: dockerName(workspaceId),
    Image: plan.image,
    Entrypoint: ['/bin/sh', '-c', idle],
    Cmd: [],
    WorkingDir: plan.workDir ?? workDirOf(workspace),
    ...(plan.user === null ? {} : { User: plan.user }),
    Hostname: workspaceId.toLowerCase().slice(-12),
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    Labels: containerLabels({
      ...labelsOf({ workspaceId, nodeId: place.nodeId, generation }),
      [labels.origin]: plan.origin,
      [labels.memory]: String(place.limits.Memory),
      [labels.startup]: JSON.stringify(plan.startup),
      [labels.ports]: JSON.stringify(plan.ports),
    }),
    HostConfig: hostSettings(dockerName(workspaceId), place),
  };
}

/** Isolation, limits and mounts of the container. */
function hostSettings(workspaceVolume: string, place: ContainerPlace): HostConfig {
  const { plan } = place;
  const volumes = [{ volume: workspaceVolume, target: workspacesMount }, ...plan.mounts];
  return {
    Init: true,
    NetworkMode: place.network,
    ExtraHosts: plan.services.hosts.map((host) => `${host}:127.0.0.1`),
    ...namespaces,
    OomScoreAdj: oomScoreAdjust,
    ...place.limits,
    CapDrop: ['ALL'],
    CapAdd: [...capabilities, ...plan.capabilities],
    SecurityOpt: [...plan.securityOptions],
    Mounts: [
      ...volumes.map(({ volume, target }) => ({ Type: 'volume' as const, Source: volume, Target: target })),
      { Type: 'bind', Source: place.runFolder, Target: runMount, ReadOnly: true },
      ...(place.harnesses === null
        ? []
        : [{ Type: 'bind' as const, Source: place.harnesses, Target: harnessMount, ReadOnly: true }]),
    ],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
  };
}

/** Size of the machine that the engine runs on. */
export interface NodeSize {
  readonly processors: number;
  readonly memoryBytes: number;
}

export interface ContainerLimits {
  readonly Memory: number;
  readonly MemorySwap: number;
  readonly NanoCpus: number;
  /** Part of the processors when they are short; 1,024 is all of the node. */
  readonly CpuShares: number;
  readonly PidsLimit: number;
  readonly StorageOpt?: { readonly size: string };
}

const mebibyte = 2 ** 20;
/** Reserved for engine, agent and kernel; no workspace gets it. */
const reserveBytes = 512 * mebibyte;
/** A shell and an editor's server need at least this much. */
const leastBytes = 512 * mebibyte;
const leastProcessors = 0.25;
/** The default weight of a container: more would compete with the agent. */
const allShares = 1_024;
export const leastShares = 2;
const processesPerMebibyte = 2;

/**
 * Limits of one workspace: its reservation, or half of what the node has for workspaces when the
 * control plane sent none. Never the whole node.
 */
export function limitsOf(reservation: Reservation | undefined, node: NodeSize): ContainerLimits {
  const most = Math.max(node.memoryBytes - reserveBytes, node.memoryBytes / 2);
  const wantedBytes = reservation?.memoryMb ? reservation.memoryMb * mebibyte : most / 2;
  const memory = Math.floor(within(wantedBytes, leastBytes, most));
  const wantedProcessors = reservation?.cpuMillis
    ? reservation.cpuMillis / 1_000
    : Math.max(1, node.processors / 2);
  const processors = within(wantedProcessors, leastProcessors, node.processors);
  return {
    Memory: memory,
    // Limit of memory and swap together: no swap.
    MemorySwap: memory,
    NanoCpus: Math.floor(processors * 1_000) * 1_000_000,
    CpuShares: Math.max(leastShares, Math.round((allShares * processors) / node.processors)),
    PidsLimit: within(Math.floor(memory / mebibyte) * processesPerMebibyte, 1_024, 8_192),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** What a workspace's container is created from. */
export interface ContainerPlan {
  readonly image: string;
  readonly origin: ContainerOrigin;
  /** User of shells and programs; null: the image's user. */
  readonly user: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Working directory of shells; null: the repository. */
  readonly workDir: string | null;
  readonly mounts: readonly { readonly volume: string; readonly target: string }[];
  readonly capabilities: readonly string[];
  readonly securityOptions: readonly string[];
  readonly startup: Startup;
  readonly services: Services;
  readonly ports: DeclaredPorts;
}

/**
 * The repository's own image, the node's default image, or the default image because the own one
 * could not be built.
 */
export type ContainerOrigin = 'own' | 'default' | 'fallback';

/** Commands that run in the container at each start. */
export interface Startup {
  readonly user: string;
  readonly commands: readonly string[];
}

/** A container of an image without a dev container configuration. */
export function plainPlan(image: string, origin: ContainerOrigin): ContainerPlan {
  return {
    image,
    origin,
    user: null,
    environment: {},
    workDir: null,
    mounts: [],
    capabilities: [],
    securityOptions: [],
    startup: { user: '', commands: [] },
    services: noServices,
    ports: noPorts,
  };
}
