import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { LiveEvent, LiveServerFrame } from '../../../protocol/live.js';
import type { Table } from '../../shared/table.js';
import { closeConnection, subscribersOf } from './connection.js';

export interface LiveSockets {
  readonly client: ApiGatewayManagementApiClient;
  readonly table: Table;
}

/** Sends a frame. A connection that is gone is deleted. */
export async function push(
  { client, table }: LiveSockets,
  connectionId: string,
  frame: LiveServerFrame,
): Promise<void> {
  const Data = JSON.stringify(frame);
  try {
    await client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
    await closeConnection(table, connectionId);
  }
}

/** Closes and deletes a connection. */
export async function endConnection({ client, table }: LiveSockets, connectionId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
  await closeConnection(table, connectionId);
}

/**
 * Sends each connection the events of all its topics together, in order. One table call for each
 * topic.
 */
export async function pushToSubscribers(sockets: LiveSockets, events: readonly LiveEvent[]): Promise<void> {
  const topics = [...new Set(events.map(({ topic }) => topic))];
  const watching = await Promise.all(
    topics.map(async (topic) =>
      (await subscribersOf(sockets.table, topic)).map((connectionId) => ({ connectionId, topic })),
    ),
  );
  const byConnection = Map.groupBy(watching.flat(), ({ connectionId }) => connectionId);
  await Promise.all(
    [...byConnection].map(async ([connectionId, watched]) => {
      const own = new Set(watched.map(({ topic }) => topic));
      for (const frame of framesOf(events.filter(({ topic }) => own.has(topic))))
        await push(sockets, connectionId, frame);
    }),
  );
}

/** API Gateway accepts frames up to 32 KB, and bills each 32 KB. */
export const maxFrameBytes = 32 * 1024;

const envelopeBytes = Buffer.byteLength(JSON.stringify({ type: 'events', events: [] }));

/** As few frames as the events fit into, in their order. */
export function framesOf(events: readonly LiveEvent[]): readonly LiveServerFrame[] {
  const frames: LiveEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const bytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (bytes > room) {
      frames.push([]);
      room = maxFrameBytes - envelopeBytes;
    }
    frames.at(-1)?.push(event);
    room -= bytes;
  }
  return frames.map(frameOf);
}

function frameOf(events: LiveEvent[]): LiveServerFrame {
  const [event] = events;
  return event && events.length === 1 ? event : { type: 'events', events };
}
