import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { existingItems } from '../records/batch-items.js';
import { eventKey, isVisibleTo, ProjectEvent } from './project-event.js';

export const eventNotFound = () => new NotFound('Event');

/**
 * @throws {eventNotFound} also for an event of another project, or only for another person. One
 * table call.
 */
export async function findEvent(
  table: Table,
  { projectId, userId }: { readonly projectId: string; readonly userId: string },
  eventId: string,
): Promise<ProjectEvent> {
  const [event] = await findEvents(table, [eventId]);
  if (event?.projectId !== projectId || !isVisibleTo(event, userId)) throw eventNotFound();
  return event;
}

/** Those of the events that are still kept, in their order. One table call for each hundred. */
export async function findEvents(table: Table, eventIds: readonly string[]): Promise<ProjectEvent[]> {
  const items = await existingItems(table, eventIds.map(eventKey));
  return items.map((item) => ProjectEvent.parse(item));
}
