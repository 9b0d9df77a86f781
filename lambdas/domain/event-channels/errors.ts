import { Conflict, DomainError, Gone, InvalidRequest, NotFound } from '../../shared/errors.js';
import { limitOfKind } from './channel-count.js';
import { channelLimits } from './channel-limits.js';

export const channelNotFound = () => new NotFound('Channel');

export const channelLimitReached = (name: string) =>
  new Conflict(
    `Project has ${limitOfKind(name)} channels (limit ${limitOfKind(name)}). Use a channel of list_event_channels.`,
    { code: 'EVENT_CHANNEL_LIMIT_REACHED' },
  );

export const publicationRateReached = (limit: number, retryAfter: number) =>
  new DomainError(
    'rate_limited',
    `The project has published ${limit} messages in this minute (limit ${limit}). Try again in ${retryAfter} seconds.`,
    { code: 'RATE_LIMIT_EXCEEDED', retryAfter },
  );

export const messageTooLong = () =>
  new InvalidRequest(
    `Message is too long (limit ${channelLimits.messageBytes} bytes of UTF-8). Shorten it.`,
    [{ field: 'message', message: `Can have at most ${channelLimits.messageBytes} bytes of UTF-8.` }],
  );

export const metadataTooLarge = () =>
  new InvalidRequest(
    'Message and its metadata are too large together (limit 8,192 bytes as JSON, 4 levels, 64 keys). Shorten them.',
    [{ field: 'message', message: 'Can have at most 8,192 bytes as JSON together with the metadata.' }],
  );

/** The key was used with another message on the same channel. */
export const publicationConflict = () =>
  new Conflict('The idempotencyKey was used with another message on this channel. Use a new key.', {
    details: [{ field: 'idempotencyKey', message: 'Another message of this session has this key.' }],
  });

export const invalidHistoryCursor = () =>
  new InvalidRequest('The request is invalid', [
    { field: 'cursor', message: 'Not a cursor of this channel; begin again without one' },
  ]);

/** The hour of the cursor has passed, or the channel was reclaimed. */
export const historyCursorExpired = () =>
  new Gone('The cursor has expired. Read the history of the channel again without a cursor.', {
    code: 'CHANNEL_CURSOR_EXPIRED',
    details: [{ field: 'cursor', message: 'Has expired.' }],
  });

/** The subscription follows no channel. */
export const notAFollower = () =>
  new Conflict('Subscription was not made by follow_event_channel. It has nothing to catch up with.', {
    code: 'NOT_A_CHANNEL_FOLLOWER',
  });

export const followerEnded = (state: string) =>
  new Conflict(
    `Subscription is ${state}. Read the history of the channel and follow it again with a new key.`,
    { code: 'EVENT_SUBSCRIPTION_ENDED' },
  );

/** Not all publications up to the watermark became matches in time. */
export const catchUpExpired = () =>
  new Gone(
    'The hour to catch up has passed. Read the history of the channel and follow it again with a new key.',
    { code: 'CHANNEL_CATCH_UP_EXPIRED' },
  );

export const channelRetentionGap = () =>
  new Gone(
    'Publications that the subscription has to catch up with were deleted after 30 days. Read the history of the channel and follow it again with a new key.',
    { code: 'CHANNEL_RETENTION_GAP' },
  );
