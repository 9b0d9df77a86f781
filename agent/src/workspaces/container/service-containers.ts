import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { ProvisionContext } from '../runtime.js';
import type { ContainerLimits } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { ignoringStatus } from './docker-errors.js';
import { labels, parseLabel } from './docker-names.js';
import type { ServicePlan } from './service-plan.js';
import { exitOf, isAwaited } from './service-progress.js';
import { serviceSettings } from './service-settings.js';

const stopGraceSeconds = 10;
const checkMs = 250;
const readyTimeoutMs = 120_000;
const shownBytes = 2_000;

const ServiceLabel = z.object({
  name: z.string(),
  ready: z.enum(['started', 'healthy', 'completed']),
  order: z.number(),
});
type ServiceLabel = z.infer<typeof ServiceLabel>;

interface ServiceContainer extends ServiceLabel {
  readonly id: string;
}

interface CreateOptions {
  readonly workspaceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: ContainerLimits;
}

/**
 * Containers of services beside the workspace's own container, whose network they use. Every
 * restart of that container gives them a new network, so they are restarted after it.
 */
export class ServiceContainers {
  constructor(private readonly engine: DockerEngine) {}

  /** Creates them with their volumes. The workspace's own container must exist. */
  async create(plans: readonly ServicePlan[], options: CreateOptions): Promise<void> {
    for (const [order, plan] of plans.entries()) {
      for (const { volume } of plan.mounts) await this.engine.createVolume(volume, options.labels);
      await this.engine.docker.createContainer(serviceSettings(plan, { ...options, order }));
    }
  }

  /**
   * Starts them in their order, each when those before are ready or have exited. A service that
   * fails is reported and does not fail the workspace.
   */
  async start(workspaceId: string, context: ProvisionContext): Promise<void> {
    for (const service of await this.of(workspaceId)) {
      context.signal.throwIfAborted();
      const failure = await this.startOne(service, context.signal);
      if (failure !== null) await this.report(service, failure, context);
    }
  }

  /** Reports the services that have exited since their start. */
  async reportExited(workspaceId: string, context: ProvisionContext): Promise<void> {
    for (const service of await this.of(workspaceId)) {
      const state = (await this.engine.inspect(service.id))?.State;
      const failure = state ? exitOf(state, service.ready) : 'its container no longer exists';
      if (failure !== null) await this.report(service, failure, context);
    }
  }

  private async report(
    { id, name }: ServiceContainer,
    failure: string,
    context: ProvisionContext,
  ): Promise<void> {
    context.report({
      step: 'devcontainer_service',
      status: 'failed',
      message: `Service ${name}: ${failure}`,
      detail: await this.endOfLog(id),
    });
  }

  async stop(workspaceId: string): Promise<void> {
    const services = await this.of(workspaceId);
    await Promise.all(services.map(({ id }) => this.engine.stopContainer(id, stopGraceSeconds)));
  }

  async remove(workspaceId: string): Promise<void> {
    for (const { id } of await this.of(workspaceId)) await this.engine.removeContainer(id);
  }

  private async of(workspaceId: string): Promise<ServiceContainer[]> {
    const filters = { label: [`${labels.workspace}=${workspaceId}`, labels.service] };
    const found = await this.engine.docker.listContainers({ all: true, filters });
    return found
      .flatMap(({ Id: id, Labels }) => {
        const service = parseLabel(ServiceLabel, Labels[labels.service]);
        return service ? [{ id, ...service }] : [];
      })
      .sort((one, other) => one.order - other.order);
  }

  /** Returns what went wrong; null: the service is ready or has exited. */
  private async startOne({ id, ready }: ServiceContainer, signal: AbortSignal): Promise<string | null> {
    const failure = await this.startContainer(id, signal);
    if (failure !== null) return failure;
    for (const end = performance.now() + readyTimeoutMs; performance.now() < end; ) {
      const state = (await this.engine.inspect(id))?.State;
      if (!state || !isAwaited(state, ready)) return null;
      await wait(checkMs, undefined, { signal });
    }
    return `it was not ${ready} after ${readyTimeoutMs / 1_000} s`;
  }

  private async startContainer(id: string, signal: AbortSignal): Promise<string | null> {
    try {
      // The engine may have restarted it already.
      await ignoringStatus([304], this.engine.docker.getContainer(id).start());
      return null;
    } catch (error) {
      if (await this.engine.isUnavailable(error, signal)) throw error;
      return `it could not be started: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private async endOfLog(id: string): Promise<string> {
    const options = { stdout: true, stderr: true, follow: false, tail: 20 } as const;
    const frames = await this.engine.docker
      .getContainer(id)
      .logs(options)
      .catch(() => Buffer.alloc(0));
    return textOf(frames).slice(-shownBytes);
  }
}

const headerBytes = 8;

/** The engine sends each piece of output after a header with its length. */
function textOf(frames: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + headerBytes <= frames.length; ) {
    const end = at + headerBytes + frames.readUInt32BE(at + 4);
    pieces.push(frames.toString('utf8', at + headerBytes, end));
    at = end;
  }
  return pieces.join('');
}
