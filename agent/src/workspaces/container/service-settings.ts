import type { ContainerCreateOptions } from 'dockerode';
import {
  type ContainerLimits,
  capabilities,
  leastShares,
  namespaces,
  oomScoreAdjust,
} from './container-settings.js';
import { containerLabels, dockerName, labels } from './docker-names.js';
import type { ServicePlan } from './service-plan.js';

const mebibyte = 2 ** 20;
const leastBytes = 128 * mebibyte;
const leastProcesses = 64;
/** Parts of the reservation that the workspace's own container gets; each service gets one. */
const ownParts = 2;
/** Restarts of a failing service, for example one that waits for another one. */
const maxRestarts = 5;

export function serviceContainerName(workspaceId: string, service: string): string {
  return `${dockerName(workspaceId)}-service-${service}`;
}

/**
 * Divides the limits of a workspace among its containers, so that all together cannot exceed them.
 * Null when a service would get too little memory.
 */
export function divideLimits(
  limits: ContainerLimits,
  services: number,
): { readonly own: ContainerLimits; readonly service: ContainerLimits } | null {
  if (services === 0) return { own: limits, service: limits };
  const parts = ownParts + services;
  const part = (count: number): ContainerLimits => {
    const memory = Math.floor((limits.Memory / parts) * count);
    return {
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.floor(((limits.NanoCpus / parts) * count) / 1e6) * 1e6,
      CpuShares: Math.max(leastShares, Math.floor((limits.CpuShares / parts) * count)),
      PidsLimit: Math.max(leastProcesses, Math.floor((limits.PidsLimit / parts) * count)),
    };
  };
  return part(1).Memory < leastBytes ? null : { own: part(ownParts), service: part(1) };
}

interface ServicePlace {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: ContainerLimits;
  /** Position in the order of starts. */
  readonly order: number;
}

/**
 * The settings for Docker. A service has neither the files nor the git settings of the workspace.
 */
export function serviceSettings(plan: ServicePlan, place: ServicePlace): ContainerCreateOptions {
  const { name, ready } = plan;
  return {
    name: serviceContainerName(place.workspaceId, name),
    Image: plan.image,
    ...(plan.entrypoint === null ? {} : { Entrypoint: [...plan.entrypoint] }),
    ...(plan.command === null ? {} : { Cmd: [...plan.command] }),
    ...(plan.user === null ? {} : { User: plan.user }),
    ...(plan.workDir === null ? {} : { WorkingDir: plan.workDir }),
    ...(plan.healthcheck === null ? {} : { Healthcheck: plan.healthcheck }),
    Env: Object.entries(plan.environment).map(([variable, value]) => `${variable}=${value}`),
    Labels: containerLabels({
      ...place.labels,
      [labels.service]: JSON.stringify({ name, ready, order: place.order }),
      [labels.memory]: String(place.limits.Memory),
    }),
    HostConfig: {
      Init: true,
      // Like containers of a pod: one address, and host names for all services.
      NetworkMode: `container:${dockerName(place.workspaceId)}`,
      ...namespaces,
      OomScoreAdj: oomScoreAdjust,
      ...place.limits,
      CapDrop: ['ALL'],
      CapAdd: [...capabilities, ...plan.capabilities],
      SecurityOpt: [...plan.securityOptions],
      Mounts: plan.mounts.map(({ volume, target, isReadOnly }) => ({
        Type: 'volume',
        Source: volume,
        Target: target,
        ReadOnly: isReadOnly,
      })),
      ...(plan.isRestarted ? { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: maxRestarts } } : {}),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}
