import { setTimeout as wait } from 'node:timers/promises';
import type { GetEventsOptions } from 'dockerode';
import * as z from 'zod/mini';
import type { Log } from '../../shared/log.js';
import type { RuntimeListener } from '../runtime.js';
import type { DockerEngine } from './docker-engine.js';
import { labels } from './docker-names.js';

const firstDelayMs = 200;
const maxDelayMs = 5_000;
const Event = z.object({
  Action: z.string(),
  Actor: z.object({ Attributes: z.record(z.string(), z.string()) }),
});
const ServiceName = z.object({ name: z.string() });

/**
 * Watches the Docker engine for containers of this node that end; reconnects when the engine
 * restarts.
 */
export class ContainerWatch implements AsyncDisposable {
  private readonly ended = new AbortController();
  private watching: Promise<void> | null = null;

  constructor(
    private readonly nodeId: string,
    private readonly engine: DockerEngine,
    private readonly log: Log,
  ) {}

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
        listener.anyMayHaveEnded();
        for await (const line of events) this.report(String(line), listener);
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
      event: ['die', 'destroy'],
      label: [`${labels.node}=${this.nodeId}`],
    };
    // The signal also ends the stream.
    return this.engine.docker.getEvents({ filters, abortSignal: this.ended.signal });
  }

  private report(text: string, listener: RuntimeListener): void {
    for (const line of text.split('\n').filter(Boolean)) {
      const event = Event.safeParse(parseJson(line));
      const workspaceId = event.data?.Actor.Attributes[labels.workspace];
      if (!workspaceId) continue;
      const service = event.data ? serviceText(event.data) : null;
      if (service !== null) listener.serviceEnded(workspaceId, service);
      listener.ended(workspaceId);
    }
  }
}

/** Null unless a service ended. */
function serviceText({ Action: action, Actor: { Attributes: attributes } }: z.infer<typeof Event>) {
  const name = ServiceName.safeParse(parseJson(attributes[labels.service] ?? '')).data?.name;
  return name === undefined || action !== 'die'
    ? null
    : `Service ${name} exited with code ${attributes.exitCode}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
