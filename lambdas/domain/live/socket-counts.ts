import * as z from 'zod/mini';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Key } from '../records/changes.js';
import type { Refusal, Write } from '../records/transact.js';
import { type SocketOwner, socketLimits } from './socket-limits.js';

/** API Gateway closes a connection after two hours. Its records are kept ten minutes longer. */
export const connectionLifetimeSeconds = 2 * 60 * 60 + 10 * 60;

/** A connection as the counts name it. */
export interface CountedSocket {
  readonly connectionId: string;
  readonly userId: string;
  readonly sessionHash: string;
  /** Epoch milliseconds. */
  readonly openedAt: number;
}

interface SocketCount {
  readonly per: SocketOwner;
  readonly key: Key;
  readonly limit: number;
}

/** A count that has reached its limit, with the sockets that it holds, the oldest first. */
export interface FullCount extends SocketCount {
  readonly entries: readonly string[];
}

/** The deployment's sockets are counted in parts, so that people do not wait for each other. */
const parts = 16;

const Counted = z.object({ sockets: z._default(z.set(z.string()), new Set()) });

const entryOf = ({ openedAt, connectionId }: CountedSocket): string => `${openedAt}#${connectionId}`;

/** The connection that an entry counts. */
export const connectionOf = (entry: string): string => entry.slice(entry.indexOf('#') + 1);

/**
 * An entry whose connection has ended, whether or not API Gateway reported it. So a count that lost
 * a disconnect becomes true again by itself.
 */
export const isExpired = (entry: string, now: Date): boolean =>
  Number.parseInt(entry, 10) + connectionLifetimeSeconds * 1_000 <= now.getTime();

function countsOf({ connectionId, userId, sessionHash }: CountedSocket): readonly SocketCount[] {
  const part = Buffer.from(hashText(connectionId), 'base64url').readUInt8(0) % parts;
  const count = (per: SocketOwner, pk: string, limit: number) => ({
    ...{ per, limit },
    key: { pk, sk: 'SOCKETS' },
  });
  return [
    count('session', `SESSION#${sessionHash}#SOCKETS`, socketLimits.session),
    count('person', `USER#${userId}#SOCKETS`, socketLimits.person),
    count('deployment', `SOCKETS#${part}`, Math.ceil(socketLimits.deployment / parts)),
  ];
}

/** The writes that count a new connection, each on the condition that its limit has room. */
export const countWrites = (socket: CountedSocket): readonly Write[] =>
  countsOf(socket).map(({ key, limit }) => ({
    update: {
      key,
      set: {
        entity: 'socket-count',
        schemaVersion: 1,
        expiresAt: Math.floor(socket.openedAt / 1_000) + connectionLifetimeSeconds,
      },
      add: { sockets: new Set([entryOf(socket)]) },
      when: { fewerThan: { sockets: limit } },
    },
  }));

/** The first count that refused these writes. */
export function fullCount(socket: CountedSocket, refusals: readonly Refusal[]): FullCount | undefined {
  const at = refusals.findIndex(({ failed }) => failed);
  const count = countsOf(socket)[at];
  if (!count) return undefined;
  const { sockets } = Counted.parse(refusals[at]?.item ?? {});
  return { ...count, entries: [...sockets].toSorted() };
}

/** Takes entries out of one count. Repeatable. One table call. */
export async function removeEntries(table: Table, key: Key, entries: readonly string[]): Promise<void> {
  await changeItem(table, { key, takeOut: { sockets: new Set(entries) }, when: { exists: true } });
}

/** Takes a connection out of all counts. Repeatable. Three table calls. */
export async function uncountSocket(table: Table, socket: CountedSocket): Promise<void> {
  await Promise.all(countsOf(socket).map(({ key }) => removeEntries(table, key, [entryOf(socket)])));
}
