import * as z from 'zod/mini';

/** Channels of messages between two agents. Only the control plane publishes to them. */
export const pairPrefix = 'agent-dm.';

export const isPairChannel = (name: string): boolean => name.startsWith(pairPrefix);

/** All characters are one byte each. */
export const ChannelName = z
  .string()
  .check(
    z.regex(
      /^[a-z0-9][a-z0-9_.-]{0,63}$/,
      'Must be 1 to 64 lower-case letters, digits and _.- that begin with a letter or digit',
    ),
  );

/** A channel that agents may publish to and follow. */
export const OrdinaryChannelName = ChannelName.check(
  z.refine((name) => !isPairChannel(name), `Names that begin with ${pairPrefix} are reserved for messages`),
);
