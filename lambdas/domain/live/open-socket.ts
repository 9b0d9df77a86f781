import type { LiveServerMessage } from '../../../protocol/live.js';
import { Unavailable } from '../../shared/errors.js';
import { openConnection } from './connection.js';
import { endConnection, type LiveSockets, push } from './push.js';
import { connectionOf, type FullCount, isExpired, removeEntries } from './socket-counts.js';
import { type SocketOwner, socketLimits } from './socket-limits.js';

/** Each one makes room for the next, in competition with other openings of the same person. */
const attempts = 5;

interface Opening {
  readonly connectionId: string;
  readonly userId: string;
  readonly sessionHash: string;
  readonly now: Date;
}

/**
 * Stores a new connection. When its session or person has reached a limit, the oldest connection of
 * it is closed. One table call while there is room.
 *
 * @throws {Unavailable} the deployment is full, or others took the room each time
 */
export async function openSocket(sockets: LiveSockets, { now, ...connection }: Opening): Promise<void> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const full = await openConnection(sockets.table, connection, now);
    if (!full) return;
    await makeRoom(sockets, full, now);
  }
  throw new Unavailable('Too many live sockets are opened at the same time. Try again.');
}

async function makeRoom(sockets: LiveSockets, { per, key, entries }: FullCount, now: Date): Promise<void> {
  const expired = entries.filter((entry) => isExpired(entry, now));
  if (expired.length > 0) return removeEntries(sockets.table, key, expired);
  const [oldest] = entries;
  if (per === 'deployment' || oldest === undefined)
    throw new Unavailable(`The deployment has ${socketLimits.deployment} live sockets (its limit).`);
  await closeOldest(sockets, connectionOf(oldest), per);
  // Its record may be gone, and then names no count.
  await removeEntries(sockets.table, key, [oldest]);
}

const names = { session: 'sign-in session', person: 'account' } as const;

/** The last frame of a connection. API Gateway sends no close code of ours. */
export const tooManySockets = (per: Exclude<SocketOwner, 'deployment'>): LiveServerMessage => ({
  type: 'error',
  error: 'TOO_MANY_SOCKETS',
  message: `Your ${names[per]} has ${socketLimits[per]} live connections (limit ${socketLimits[per]}), so the oldest was closed. Close other windows, or continue in this one.`,
});

async function closeOldest(
  sockets: LiveSockets,
  connectionId: string,
  per: Exclude<SocketOwner, 'deployment'>,
): Promise<void> {
  // A connection that takes no frame is closed all the same.
  await push(sockets, connectionId, tooManySockets(per)).catch(() => undefined);
  await endConnection(sockets, connectionId);
}
