import { selects } from '../event-subscriptions/event-filter.js';
import type { Follower } from '../event-subscriptions/follower.js';
import { channelSource } from '../event-subscriptions/matches.js';
import { channelEventType, channelSeverity, channelSubjectType } from './channel-event.js';
import { isPairChannel } from './channel-name.js';

/**
 * Whether a subscription selects the publications of a channel; a field without values matches. Of
 * a pair channel only the managed subscriptions are certain: its messages match no other chat.
 */
export const selectsChannel = (
  { filter, channel }: Pick<Follower, 'filter' | 'channel'>,
  name: string,
): boolean =>
  (channel === null ? !isPairChannel(name) : channel.name === name) &&
  selects(filter, {
    source: channelSource,
    eventType: channelEventType,
    subject: { type: channelSubjectType, id: name },
    severity: channelSeverity,
  });
