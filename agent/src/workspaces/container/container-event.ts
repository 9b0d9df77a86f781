import * as z from 'zod/mini';
import { labels } from './docker-names.js';

const Event = z.object({
  Action: z.string(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
  timeNano: z.number(),
});
const ServiceName = z.object({ name: z.string() });

/** An event of the engine about a container. */
export interface ContainerEvent {
  readonly action: string;
  readonly containerId: string;
  readonly containerName: string;
  readonly workspaceId: string | undefined;
  readonly exitCode: number | undefined;
  readonly occurredAt: Date;
  /** Null for the workspace's own container. */
  readonly service: string | null;
}

export function parseContainerEvent(line: string): ContainerEvent | null {
  const event = Event.safeParse(parseJson(line)).data;
  if (!event) return null;
  const { ID: containerId, Attributes: attributes } = event.Actor;
  return {
    action: event.Action,
    containerId,
    containerName: attributes.name ?? containerId,
    workspaceId: attributes[labels.workspace] || undefined,
    exitCode: attributes.exitCode === undefined ? undefined : Number(attributes.exitCode),
    occurredAt: new Date(event.timeNano / 1e6),
    service: ServiceName.safeParse(parseJson(attributes[labels.service] ?? '')).data?.name ?? null,
  };
}

/** Null unless a service ended. */
export function serviceText({ action, service, exitCode }: ContainerEvent): string | null {
  return service === null || action !== 'die' ? null : `Service ${service} exited with code ${exitCode}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
