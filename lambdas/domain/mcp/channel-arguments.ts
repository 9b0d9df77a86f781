import * as z from 'zod/mini';
import { ChannelName, OrdinaryChannelName } from '../event-channels/channel-name.js';

/** A channel that agents may publish to and follow. */
export const channelName = OrdinaryChannelName.check(
  z.describe(
    'Name of the channel: 1 to 64 lower-case letters, digits and _.- that begin with a letter or digit. Names that begin with agent-dm. are reserved.',
  ),
);

/** Any channel, also one of messages between two agents. */
export const readableChannelName = ChannelName.check(z.describe('Name of the channel.'));

export const maxChannelCursor = 512;

export const channelCursor = (text: string) =>
  z.optional(z.string().check(z.maxLength(maxChannelCursor), z.describe(text)));
