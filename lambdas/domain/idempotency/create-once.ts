import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';
import { keyExpiry, type RequestKey, requireSameRequest } from './request-key.js';

/** What a request with an Idempotency-Key creates. */
export type CreatedKind = 'project' | 'task' | 'chat' | 'profile' | 'skill' | 'agent-session';

interface Creation<Created> {
  readonly kind: CreatedKind;
  readonly userId: string;
  /** Undefined: each request creates another record. */
  readonly key: RequestKey | undefined;
  readonly newId: () => string;
  readonly now: Date;
  /** Reads the record of an earlier request, strongly consistent. */
  find(id: string): Promise<Created | undefined>;
  /** Fails when the record exists. */
  create(id: string): Promise<Created>;
}

/**
 * Creates a record once for each key. Its id is stored before the record: a repeat finds the record
 * of the first request, or creates it with the same id after a crash. One table call besides
 * `create`, and one more for a repeat.
 *
 * @throws `idempotencyKeyReused`: the key was used with another request
 */
export async function createOnce<Created>(table: Table, creation: Creation<Created>): Promise<Created> {
  const { key, newId, find, create } = creation;
  if (!key) return create(newId());
  const { id, isRepeat } = await reserveId(table, { ...creation, key });
  const earlier = isRepeat ? await find(id) : undefined;
  if (earlier) return earlier;
  try {
    return await create(id);
  } catch (error) {
    // A concurrent repeat came first.
    const present = isRepeat ? await find(id) : undefined;
    if (present) return present;
    throw error;
  }
}

const Reservation = z.object({ requestHash: z.string(), id: z.string() });

/** Each person has keys of their own, for each kind of record. */
export const reservationKey = (userId: string, kind: CreatedKind, key: string) => ({
  pk: `USER#${userId}`,
  sk: `CREATION#${kind}#${key}`,
});

async function reserveId(
  table: Table,
  {
    kind,
    userId,
    key,
    newId,
    now,
  }: Pick<Creation<unknown>, 'kind' | 'userId' | 'newId' | 'now'> & { readonly key: RequestKey },
) {
  const id = newId();
  const item = {
    ...reservationKey(userId, kind, key.key),
    entity: 'creation',
    schemaVersion: 1,
    requestHash: key.requestHash,
    id,
    expiresAt: keyExpiry(now.toISOString()),
  };
  const outcome = await putItem(table, item, { exists: false });
  if (outcome.changed) return { id, isRepeat: false };
  const earlier = Reservation.parse(outcome.item);
  requireSameRequest(key, earlier);
  return { id: earlier.id, isRepeat: true };
}
