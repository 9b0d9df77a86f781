import {
  type ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { LiveEvent, LiveServerFrame } from '../../../protocol/live.js';
import { eachParallel } from '../../shared/each-parallel.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { closeConnection, subscribersOf } from './connection.js';

export interface LiveSockets {
  readonly client: ApiGatewayManagementApiClient;
  readonly table: Table;
}

/**
 * The gateway answers within some 20 ms. All connections of a person may fail within the timeout of
 * the function: 128 of them, 16 at a time, take 24 s to be sent to and closed.
 */
const sendTimeoutMs = 1_500;
/**
 * Connections that are sent to at a time: a person with many of them takes no more of the function
 * than this.
 */
export const parallelPushes = 16;

/** Sends a frame. A connection that is gone is deleted. */
export async function push(
  { client, table }: LiveSockets,
  connectionId: string,
  frame: LiveServerFrame,
): Promise<void> {
  const Data = JSON.stringify(frame);
  try {
    await client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data }), {
      abortSignal: AbortSignal.timeout(sendTimeoutMs),
    });
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
    await closeConnection(table, connectionId);
  }
}

/** Closes and deletes a connection. */
export async function endConnection({ client, table }: LiveSockets, connectionId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }), {
      abortSignal: AbortSignal.timeout(sendTimeoutMs),
    });
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
  await closeConnection(table, connectionId);
}

interface Pushing extends LiveSockets {
  readonly log: Log;
}

/**
 * Sends each connection the events of all its topics together, in order. One table call for each
 * topic. A failure is the matter of its own connection: no other one waits for it or receives its
 * events again.
 */
export async function pushToSubscribers(sockets: Pushing, events: readonly LiveEvent[]): Promise<void> {
  const topics = [...new Set(events.map(({ topic }) => topic))];
  const watching = await Promise.all(
    topics.map(async (topic) =>
      (await subscribersOf(sockets.table, topic)).map((connectionId) => ({ connectionId, topic })),
    ),
  );
  const byConnection = Map.groupBy(watching.flat(), ({ connectionId }) => connectionId);
  await eachParallel([...byConnection], parallelPushes, async ([connectionId, watched]) => {
    const own = new Set(watched.map(({ topic }) => topic));
    await pushFrames(sockets, connectionId, framesOf(events.filter(({ topic }) => own.has(topic))));
  });
}

/**
 * Closes a connection that takes no frame, so that its client connects again and reads the present
 * state. The SDK has repeated the send by then.
 */
async function pushFrames(
  { log, ...sockets }: Pushing,
  connectionId: string,
  frames: readonly LiveServerFrame[],
): Promise<void> {
  try {
    for (const frame of frames) await push(sockets, connectionId, frame);
  } catch (error) {
    log.warn('Push failed; the connection is closed', { connectionId, error });
    await endConnection(sockets, connectionId).catch((again: unknown) =>
      log.error('Connection not closed', { connectionId, error: again }),
    );
  }
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
