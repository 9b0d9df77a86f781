import type { z } from 'zod/mini';
import type { Table } from '../../../shared/table.js';
import { admitEvent } from '../../project-events/admit-event.js';
import type { EventContent } from '../../project-events/event-content.js';
import { newEvent } from '../../project-events/project-event.js';
import { listProjectsOfRepository } from '../../projects/list-projects-of-repository.js';
import type { CodeHostEvent } from './code-host-event.js';
import { readWebhook } from './read-webhook.js';

/** The source of all events of webhooks, whatever code host the deployment uses. */
export const webhookSource = 'github';

interface Delivery {
  readonly name: string;
  /**
   * Identifies a repeat. The id of a delivery is a header, which the signature does not cover: a
   * captured body could come again under another id.
   */
  readonly bodyHash: string;
  readonly payload: unknown;
}

interface Received {
  readonly outcome: 'recorded' | 'ignored' | 'pong';
  readonly events: number;
}

/** Admissions in progress at a time. */
const atOnce = 10;

/**
 * Records the event of a delivery in each attached project of its repository. A repeat continues
 * what a failure left. One table call, and one for each project.
 *
 * @throws {InvalidRequest} the payload is not one of this event
 */
export async function receiveWebhook(
  table: Table,
  { name, bodyHash, payload }: Delivery,
  now: Date,
): Promise<Received> {
  if (name === 'ping') return { outcome: 'pong', events: 0 };
  const event = readWebhook(name, payload);
  if (!event) return { outcome: 'ignored', events: 0 };
  const projects = await listProjectsOfRepository(table, event.repositoryId);
  const content = contentOf(event, bodyHash, now);
  for (let from = 0; from < projects.length; from += atOnce) {
    const some = projects.slice(from, from + atOnce);
    await Promise.all(some.map(({ projectId }) => admitEvent(table, newEvent(projectId, content, now), now)));
  }
  return { outcome: projects.length > 0 ? 'recorded' : 'ignored', events: projects.length };
}

const contentOf = (event: CodeHostEvent, deliveryKey: string, now: Date): z.input<typeof EventContent> => {
  const { eventType, subject, severity, metadata, display, occurredAt } = event;
  const at = new Date(occurredAt ?? now).toISOString();
  return {
    source: webhookSource,
    deliveryKey,
    eventType,
    subject,
    severity,
    metadata,
    display,
    occurredAt: at,
  };
};
