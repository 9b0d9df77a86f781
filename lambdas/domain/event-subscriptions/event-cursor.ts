import * as z from 'zod/mini';
import { InvalidRequest } from '../../shared/errors.js';

export const maxCursorLength = 512;

/** The place after a match of one subscription. Its owner may read all: it needs no seal. */
const EventCursor = z.strictObject({
  version: z.literal(1),
  subscriptionId: z.string(),
  after: z.int().check(z.nonnegative()),
});

export const eventCursor = (subscriptionId: string, after: number): string =>
  Buffer.from(JSON.stringify({ version: 1, subscriptionId, after })).toString('base64url');

/**
 * The sequence after which the page begins.
 *
 * @throws {InvalidRequest} it is none, or one of another subscription
 */
export function readEventCursor(subscriptionId: string, cursor: string): number {
  const read = EventCursor.safeParse(jsonOf(cursor));
  if (!read.success || read.data.subscriptionId !== subscriptionId)
    throw new InvalidRequest('The cursor is not one of this subscription. Begin again without a cursor.', [
      { field: 'cursor', message: 'Not a cursor of this subscription' },
    ]);
  return read.data.after;
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
