import type { Table } from '../../shared/table.js';
import { getItem } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { recordChange } from '../records/record-change.js';
import { deliveryNotAcknowledgeable, deliveryNotFound } from './errors.js';
import { batchKey, EventBatch } from './event-batch.js';
import { DeliveryPointer, EventMatch, matchKey, pointerKey } from './event-match.js';

export interface Acknowledgement {
  readonly idempotent: boolean;
  readonly delivery: EventMatch | EventBatch;
}

interface Reader {
  readonly ownerId: string;
  readonly deliveryId: string;
  readonly now: Date;
}

/**
 * Records that the owner has processed a delivery. A repeat changes nothing. Two table calls.
 *
 * @throws {deliveryNotFound} also of another owner
 * @throws {deliveryNotAcknowledgeable} it was cancelled, expired or failed
 */
export async function acknowledgeDelivery(table: Table, reader: Reader): Promise<Acknowledgement> {
  const key = pointerKey(reader.deliveryId);
  const item = await getItem(table, key);
  const pointer = item && DeliveryPointer.parse(item);
  if (pointer?.ownerId !== reader.ownerId) throw deliveryNotFound();
  const { sequence } = pointer;
  return sequence === null
    ? acknowledgeBatch(table, pointer, reader)
    : acknowledgeMatch(table, { ...pointer, sequence }, reader);
}

async function acknowledgeMatch(
  table: Table,
  pointer: Pick<EventMatch, 'subscriptionId' | 'sequence'>,
  { ownerId, now }: Reader,
): Promise<Acknowledgement> {
  const { changed, item } = await changeItem(
    table,
    recordChange<EventMatch>(matchKey(pointer), {
      set: { acknowledgedAt: now.toISOString(), acknowledgedBy: ownerId },
      when: {
        absent: ['acknowledgedAt'],
        oneOf: { state: ['matched', 'batch_created', 'recorded_not_injected'] },
      },
      isInternal: true,
      now,
    }),
  );
  if (!item) throw deliveryNotFound();
  const match = EventMatch.parse(item);
  if (!changed && match.acknowledgedAt === null) throw deliveryNotAcknowledgeable(match.state);
  return { idempotent: !changed, delivery: match };
}

async function acknowledgeBatch(
  table: Table,
  { subscriptionId, deliveryId: batchId }: DeliveryPointer,
  { ownerId, now }: Reader,
): Promise<Acknowledgement> {
  const { changed, item } = await changeItem(
    table,
    recordChange<EventBatch>(batchKey({ subscriptionId, batchId }), {
      set: {
        state: 'acked',
        ...{ acknowledgedAt: now.toISOString(), acknowledgedBy: ownerId, terminalAt: now.toISOString() },
      },
      when: { oneOf: { state: ['pending', 'recorded_not_injected', 'delivered', 'ambiguous'] } },
      now,
    }),
  );
  if (!item) throw deliveryNotFound();
  const batch = EventBatch.parse(item);
  if (!changed && batch.state !== 'acked') throw deliveryNotAcknowledgeable(batch.state);
  return { idempotent: !changed, delivery: batch };
}
