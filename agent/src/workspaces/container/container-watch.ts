import { setTimeout as wait } from 'node:timers/promises';
import type { GetEventsOptions } from 'dockerode';
import type { Log } from '../../shared/log.js';
import type { RuntimeListener } from '../runtime.js';
import { type ContainerEvent, parseContainerEvent, serviceText } from './container-event.js';
import type { DockerEngine } from './docker-engine.js';
import { labels } from './docker-names.js';
import { OomDeaths, type OomListener } from './oom-deaths.js';

const firstDelayMs = 200;
const maxDelayMs = 5_000;

/**
 * Watches the Docker engine for containers of this node that end; reconnects when the engine
 * restarts.
 */
export class ContainerWatch implements AsyncDisposable {
  private readonly ended = new AbortController();
  private watching: Promise<void> | null = null;
  private readonly deaths: OomDeaths;

  constructor(
    private readonly nodeId: string,
    private readonly engine: DockerEngine,
    private readonly log: Log,
  ) {
    this.deaths = new OomDeaths(nodeId, engine);
  }

  /** Notified of kills for lack of memory, before the listener of `begin` learns of an end. */
  onOom(listener: OomListener): void {
    this.deaths.listen(listener);
  }

  /** Whether somebody ended this run of a container by a signal. */
  wasEndedByClient(containerId: string, startedAt: string): boolean {
    return this.deaths.wasEndedByClient(containerId, startedAt);
  }

  begin(listener: RuntimeListener): void {
    this.watching ??= this.run(listener).catch((error: unknown) =>
      this.log.error('Container watch stopped', { error }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await this.watching;
  }

  private async run(listener: RuntimeListener): Promise<void> {
    const { signal } = this.ended;
    let delayMs = firstDelayMs;
    while (!signal.aborted) {
      try {
        const events = await this.subscribe();
        delayMs = firstDelayMs;
        // Containers may have ended before the subscription.
        await this.deaths.findMissed();
        listener.anyMayHaveEnded();
        for await (const line of events) await this.report(String(line), listener);
        this.log.warn('Docker event stream ended. Reconnecting');
      } catch (error) {
        if (!signal.aborted) this.log.warn('Docker event stream failed. Reconnecting', { error, delayMs });
      }
      await wait(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, maxDelayMs);
    }
  }

  private subscribe(): Promise<NodeJS.ReadableStream> {
    const filters: GetEventsOptions['filters'] = {
      type: ['container'],
      event: ['die', 'destroy', 'kill', 'oom'],
      label: [`${labels.node}=${this.nodeId}`],
    };
    // The signal also ends the stream.
    return this.engine.docker.getEvents({ filters, abortSignal: this.ended.signal });
  }

  private async report(text: string, listener: RuntimeListener): Promise<void> {
    for (const line of text.split('\n').filter(Boolean)) {
      const event = parseContainerEvent(line);
      if (event) await this.reportEvent(event, listener);
    }
  }

  private async reportEvent(event: ContainerEvent, listener: RuntimeListener): Promise<void> {
    await this.deaths.add(event);
    const { workspaceId } = event;
    // After a kill it may run on.
    if (workspaceId === undefined || event.action === 'oom' || event.action === 'kill') return;
    const service = serviceText(event);
    if (service !== null) listener.serviceEnded(workspaceId, service);
    listener.ended(workspaceId);
  }
}
