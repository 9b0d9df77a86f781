import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { canonicalJson } from '../../shared/canonical-json.js';
import { hashText } from '../../shared/hash-text.js';
import { channelSource } from '../event-subscriptions/matches.js';
import { type EventContent, Metadata } from '../project-events/event-content.js';
import { eventIdOf, newEvent, type ProjectEvent } from '../project-events/project-event.js';
import type { Channel, ChannelRef } from './channel.js';
import { channelLimits } from './channel-limits.js';
import { messageTooLong, metadataTooLarge } from './errors.js';

export const channelEventType = 'agent.channel.published';
export const channelSubjectType = 'agent_channel';
export const channelSeverity = 'info';

/** The agent that publishes, as its token names it. */
export const ChannelActor = z.object({
  userId: Ulid,
  taskId: z.nullable(Ulid),
  chatSessionId: Ulid,
  workspaceId: Ulid,
  agentSessionId: Ulid,
});
export type ChannelActor = z.infer<typeof ChannelActor>;

/** The metadata of a publication, without the fields of a message between two agents. */
export const ChannelMetadata = z.looseObject({
  message: z.string(),
  channel: z.string(),
  /** The id of the catalog record. */
  generation: Ulid,
  sequence: z.int(),
  actor: ChannelActor,
});
export type ChannelMetadata = z.infer<typeof ChannelMetadata>;

export interface PublicationDraft extends ChannelRef {
  readonly message: string;
  readonly actor: ChannelActor;
  /** The same of each repeat: one publication of this chat on this channel. */
  readonly idempotencyKey: string;
  /** More fields of the metadata, of a message between two agents. */
  readonly about?: Readonly<Record<string, z.core.util.JSONType>>;
}

const deliveryKeyOf = ({ projectId, actor, name, idempotencyKey }: PublicationDraft): string =>
  hashText(JSON.stringify([projectId, actor.userId, actor.chatSessionId, name, idempotencyKey]));

const fingerprintOf = ({ actor, name, message, about = {} }: PublicationDraft): string =>
  hashText(canonicalJson([actor.userId, actor.chatSessionId, name, message, about]));

/** The id of the event of a draft, before its sequence is known. */
export const publishedEventId = (draft: PublicationDraft): string =>
  eventIdOf(draft.projectId, { source: channelSource, deliveryKey: deliveryKeyOf(draft) });

/**
 * The event of a publication, for the channel as it is after it.
 *
 * @throws {messageTooLong | metadataTooLarge}
 */
export function channelEvent(
  draft: PublicationDraft,
  { channelId: generation, lifetimeCount: sequence }: Pick<Channel, 'channelId' | 'lifetimeCount'>,
  now: Date,
): ProjectEvent {
  const { projectId, name, message, actor, about } = draft;
  const metadata = Metadata.safeParse({ ...about, message, channel: name, generation, sequence, actor });
  if (Buffer.byteLength(message) > channelLimits.messageBytes) throw messageTooLong();
  if (!metadata.success) throw metadataTooLarge();
  const content: z.input<typeof EventContent> = {
    source: channelSource,
    eventType: channelEventType,
    subject: { type: channelSubjectType, id: name },
    severity: channelSeverity,
    deliveryKey: deliveryKeyOf(draft),
    payloadFingerprint: fingerprintOf(draft),
    metadata: metadata.data,
    occurredAt: now.toISOString(),
  };
  return newEvent(projectId, content, now);
}
