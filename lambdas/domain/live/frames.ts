import type { LiveEvent, LiveServerFrame } from '../../../protocol/live.js';

/** A frame is paid for by 32 KB, and API Gateway takes no longer one. */
export const maxFrameBytes = 32 * 1024;

const envelopeBytes = Buffer.byteLength(JSON.stringify({ type: 'events', events: [] }));

/** As few frames as the events fit into, in their order. One event is a frame by itself. */
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
