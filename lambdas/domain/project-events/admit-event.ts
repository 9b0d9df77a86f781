import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { changeItem, putItem } from '../records/change-item.js';
import { recordChange } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import { type EventOrder, eventItem, eventKey, ProjectEvent } from './project-event.js';

export interface Admission {
  readonly outcome: 'created' | 'duplicate_replay' | 'conflict';
  /** As it is stored: of a conflict the first one. */
  readonly event: ProjectEvent;
}

/** The write that records an event, for the transaction of its producer. */
export const eventPut = (event: ProjectEvent, order?: EventOrder): Write => ({
  put: eventItem(event, order),
  when: { exists: false },
});

/**
 * Records an event once. A repeat with the same content counts as a duplicate, other content with
 * the same delivery key as a conflict; the first event stays. One table call, two for a repeat.
 */
export async function admitEvent(table: Table, event: ProjectEvent, now: Date): Promise<Admission> {
  const written = await putItem(table, eventItem(event), { exists: false });
  if (written.changed) return { outcome: 'created', event };
  return countRepeat(table, { event, stored: written.item, now });
}

interface Repeat {
  /** As it was sent now. */
  readonly event: ProjectEvent;
  /** The item that refused its write. */
  readonly stored: Item | undefined;
  readonly now: Date;
}

/** Counts the repeat of an event whose write was refused, also in a transaction. One table call. */
export async function countRepeat(table: Table, { event, stored, now }: Repeat): Promise<Admission> {
  const first = ProjectEvent.parse(stored);
  const isSame = first.payloadFingerprint === event.payloadFingerprint;
  const conflict = {
    state: 'conflicted',
    conflictFingerprint: event.payloadFingerprint,
    conflictDetectedAt: now.toISOString(),
  } as const;
  const outcome = await changeItem(
    table,
    recordChange<ProjectEvent>(eventKey(first.eventId), {
      set: isSame ? {} : conflict,
      increment: isSame ? { duplicateCount: 1 } : { conflictCount: 1 },
      now,
    }),
  );
  if (!outcome.changed) throw new Unavailable('The earlier event has just expired. Send the event again.');
  return {
    outcome: isSame ? 'duplicate_replay' : 'conflict',
    event: ProjectEvent.parse(outcome.item),
  };
}
