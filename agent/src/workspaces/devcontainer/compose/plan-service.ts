import { posix } from 'node:path';
import type { HealthConfig } from 'dockerode';
import { isReadableName } from '../../../sandbox/engine/image-name.js';
import type { ServiceMount, ServicePlan } from '../../container/service-plan.js';
import { BuildFailed } from '../build-output.js';
import { grantedCapabilities, grantedSecurityOptions } from '../plan-container.js';
import { commandWords } from './command-words.js';
import type { Healthcheck, Service, Volume } from './service-schema.js';

export interface ServicePlace {
  readonly name: string;
  readonly workspaceId: string;
  readonly volumePrefix: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The container of a service beside the workspace's own.
 * @throws BuildFailed with the names of service and key
 */
export function planService(service: Service, place: ServicePlace): Omit<ServicePlan, 'ready'> {
  const { name, environment } = place;
  checkIsolation(name, service);
  return {
    name,
    image: imageOf(service, place),
    entrypoint: argumentsOf(service.entrypoint),
    command: argumentsOf(service.command),
    environment,
    user: service.user === undefined ? null : String(service.user),
    workDir: service.working_dir ?? null,
    mounts: service.volumes.map((volume) => mountOf(volume, place)),
    capabilities: service.cap_add,
    securityOptions: service.security_opt,
    healthcheck: service.healthcheck ? healthOf(service.healthcheck, name) : null,
    isRestarted: !['no', 'false', 'undefined'].includes(String(service.restart)),
  };
}

/** @throws BuildFailed for rights that a container of a workspace does not get */
export function checkIsolation(name: string, service: Service): void {
  const refuse = (key: string, value: string) => {
    throw new BuildFailed(`Service ${name}: ${key} ${value} is not allowed. Remove it`);
  };
  for (const value of service.cap_add) if (!grantedCapabilities.has(value)) refuse('cap_add', value);
  for (const value of service.security_opt)
    if (!grantedSecurityOptions.has(value)) refuse('security_opt', value);
  // All services share the network of the workspace.
  const mode = service.network_mode;
  if (mode !== undefined && !mode.startsWith('service:')) refuse('network_mode', mode);
}

export function argumentsOf(value: Service['command']): string[] | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? commandWords(value) : value;
}

const reference =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?::\d+)?(?:\/[A-Za-z0-9._-]+)*(?::[A-Za-z0-9_.-]+)?(?:@sha256:[0-9a-f]{64})?$/;

function imageOf({ image }: Service, { name, workspaceId }: ServicePlace): string {
  if (image === undefined) throw new BuildFailed(`Service ${name}: the key image is missing`);
  const isId = image.startsWith('sha256:');
  if (isId || !reference.test(image) || !isReadableName(image, { workspaceId }))
    throw new BuildFailed(`Service ${name}: image ${image.slice(0, 200)} is not the name of a usable image`);
  // Without a tag, the engine would pull all of them.
  return /(?::[^/]+|@.+)$/.test(image) ? image : `${image}:latest`;
}

const volumeName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const reserved = /^\/(?:$|workspaces(?:\/|$)|run\/svc(?:\/|$)|proc(?:\/|$)|sys(?:\/|$)|dev(?:\/|$))/;

/** @throws BuildFailed unless it is a volume of the workspace's own */
export function mountOf(volume: Volume, { name, volumePrefix }: ServicePlace): ServiceMount {
  const { type, source, target, isReadOnly } = fieldsOf(volume);
  const refuse = (reason: string): never => {
    throw new BuildFailed(`Service ${name}: volumes: ${source ?? target} ${reason}`);
  };
  if (type !== 'volume' || (source !== undefined && !volumeName.test(source)))
    return refuse('is not a named volume. Only named volumes are supported');
  if (!target.startsWith('/') || posix.normalize(target) !== target || /[,:]/.test(target))
    return refuse('has no absolute, normalized path in the container');
  if (reserved.test(target)) return refuse(`cannot be mounted at ${target}`);
  const own = source ?? `${name}-${target.replace(/[^A-Za-z0-9_.-]/g, '-')}`;
  return { volume: `${volumePrefix}-${own}`, target, isReadOnly };
}

function fieldsOf(volume: Volume) {
  if (typeof volume !== 'string') return { ...volume, isReadOnly: volume.read_only === true };
  const parts = volume.split(':');
  const [source, target] = parts.length === 1 ? [undefined, volume] : parts;
  const options = parts[2]?.split(',') ?? [];
  const isPlain =
    parts.length <= 3 && options.every((option) => /^(?:rw|ro|cached|delegated|consistent)$/.test(option));
  return {
    type: isPlain ? 'volume' : 'other',
    source,
    target: target ?? '',
    isReadOnly: options.includes('ro'),
  };
}

function healthOf({ disable, test, ...more }: Healthcheck, name: string): HealthConfig {
  if (disable) return { Test: ['NONE'] };
  return {
    ...(test === undefined ? {} : { Test: typeof test === 'string' ? ['CMD-SHELL', test] : test }),
    ...(more.interval === undefined ? {} : { Interval: nanoseconds(more.interval, name) }),
    ...(more.timeout === undefined ? {} : { Timeout: nanoseconds(more.timeout, name) }),
    ...(more.start_period === undefined ? {} : { StartPeriod: nanoseconds(more.start_period, name) }),
    ...(more.retries === undefined ? {} : { Retries: more.retries }),
  };
}

const units: Readonly<Record<string, number>> = { ms: 1e6, s: 1e9, m: 60e9, h: 3_600e9 };

function nanoseconds(text: string, name: string): number {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text))
    throw new BuildFailed(`Service ${name}: healthcheck: ${text} is not a duration such as 5s`);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return Math.round(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0));
}
