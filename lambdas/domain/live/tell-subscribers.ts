import type { LiveEvent } from '../../../protocol/live.js';
import { subscribersOf } from './connection.js';
import { framesOf } from './frames.js';
import { type LiveSockets, push } from './push.js';

/**
 * Tells each connection what happened in all of its topics together, in the order of the events. One table call for each topic
 * of which there is something to tell.
 */
export async function tellSubscribers(sockets: LiveSockets, events: readonly LiveEvent[]): Promise<void> {
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
