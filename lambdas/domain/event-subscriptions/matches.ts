import * as z from 'zod/mini';
import { isPairChannel } from '../event-channels/channel-name.js';
import { isVisibleTo, type ProjectEvent } from '../project-events/project-event.js';
import { selects } from './event-filter.js';
import type { Follower } from './follower.js';
import { isWake } from './resolve-delivery.js';

/** Fields that the store adds to the metadata of a publication. */
export const channelSource = 'svc.agent_channel';
const Publication = z.object({
  channel: z.string(),
  /** Of the channel's catalog record. */
  generation: z.string(),
  /** Grows by one with each publication of the generation. */
  sequence: z.int(),
  actor: z.object({ chatSessionId: z.nullable(z.string()) }),
  /** Of a message between two agents. */
  recipient: z.optional(z.object({ chatSessionId: z.string() })),
});
type Publication = z.infer<typeof Publication>;

/**
 * A request takes its time at its beginning and writes later: a subscription may have been written
 * before an event whose time is up to this much earlier.
 */
const maxRequestMs = 60_000;

/** Whether an event is one for an active subscription. */
export function matches(event: ProjectEvent, follower: Follower): boolean {
  const receivedAt = Date.parse(event.receivedAt);
  if (receivedAt >= Date.parse(follower.endsAt) || !selects(follower.filter, event)) return false;
  if (!isVisibleTo(event, follower.ownerUserId)) return false;
  const publication = publicationOf(event);
  if (publication && !isFor(publication, follower)) return false;
  // Of a publication its sequence decides, which no clock does.
  if (publication && follower.channel) return isNew(publication, follower.channel);
  return receivedAt > Date.parse(follower.createdAt) - maxRequestMs;
}

const isFor = (publication: Publication, follower: Follower): boolean =>
  !isOwnPublication(publication, follower) && isAddressed(publication, follower);

export function publicationOf({ source, metadata }: Pick<ProjectEvent, 'source' | 'metadata'>) {
  return source === channelSource ? Publication.parse(metadata) : undefined;
}

type Woken = Pick<Follower, 'ownerChatId' | 'requestedDelivery'>;

/** No agent wakes itself. Who only records sees its own publications too. */
export const isOwnPublication = (
  { actor }: Pick<Publication, 'actor'>,
  { ownerChatId, requestedDelivery }: Woken,
): boolean => isWake(requestedDelivery) && ownerChatId !== null && actor.chatSessionId === ownerChatId;

/** A message between two agents matches only subscriptions that target one of their chats. */
const isAddressed = (
  { channel, actor, recipient }: Publication,
  { target: { sessionId } }: Pick<Follower, 'target'>,
): boolean =>
  !isPairChannel(channel) ||
  (sessionId !== null && (sessionId === actor.chatSessionId || sessionId === recipient?.chatSessionId));

/** A generation after that of the watermark is new as a whole. */
const isNew = (
  { channel, generation, sequence }: Publication,
  followed: NonNullable<Follower['channel']>,
): boolean =>
  channel === followed.name &&
  (generation === followed.generation
    ? sequence > followed.watermark && sequence <= (followed.through ?? sequence)
    : followed.through === undefined);
