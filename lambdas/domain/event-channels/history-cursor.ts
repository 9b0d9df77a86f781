import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Channel } from './channel.js';
import { channelLimits } from './channel-limits.js';
import { historyCursorExpired, invalidHistoryCursor } from './errors.js';

const Content = z.strictObject({
  v: z.literal(1),
  /** The project. */
  p: Ulid,
  /** The generation of the channel. */
  c: Ulid,
  after: z.int().check(z.gte(0)),
  until: z.int().check(z.gte(0)),
  /** Epoch milliseconds. */
  expires: z.int(),
});

/** A part of the history: the sequences after `after`, up to `until`. */
export interface HistoryWindow {
  readonly after: number;
  readonly until: number;
}

type Of = Pick<Channel, 'projectId' | 'channelId'>;

/**
 * A cursor is not signed: every caller who may present one may read the whole channel, so that a
 * forged cursor opens nothing more.
 */
export function historyCursor({ projectId, channelId }: Of, window: HistoryWindow, now: Date): string {
  const { after, until } = window;
  const expires = now.getTime() + channelLimits.cursorMs;
  return Buffer.from(JSON.stringify({ v: 1, p: projectId, c: channelId, after, until, expires })).toString(
    'base64url',
  );
}

/**
 * The window of a cursor, or the whole history without one.
 *
 * @throws {invalidHistoryCursor} it is not a cursor of this project and channel
 * @throws {historyCursorExpired}
 */
export function openHistoryCursor(channel: Channel, cursor: string | undefined, now: Date): HistoryWindow {
  if (cursor === undefined) return { after: 0, until: channel.lifetimeCount };
  const { p, c, after, until, expires } = read(cursor);
  if (p !== channel.projectId) throw invalidHistoryCursor();
  if (c !== channel.channelId || expires <= now.getTime()) throw historyCursorExpired();
  if (after > until || until > channel.lifetimeCount || expires > now.getTime() + channelLimits.cursorMs)
    throw invalidHistoryCursor();
  return { after, until };
}

/**
 * The place that a cursor names, also of an expired one: a repeat has the same.
 *
 * @throws {invalidHistoryCursor}
 */
export function placeOfCursor(cursor: string): { readonly c: string; readonly after: number } {
  const { c, after } = read(cursor);
  return { c, after };
}

function read(cursor: string): z.infer<typeof Content> {
  try {
    return Content.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw invalidHistoryCursor();
  }
}
