import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { canonicalJson } from '../../shared/canonical-json.js';
import { derivedId } from '../../shared/derived-id.js';
import { hashText } from '../../shared/hash-text.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { Display, EventContent, Metadata, PayloadRef, severities } from './event-content.js';

export const eventContractVersion = 1;

/** Something that happened in a project. Subscriptions select events by filters. */
export const ProjectEvent = z.object({
  eventId: Ulid,
  projectId: Ulid,
  source: z.string(),
  eventType: z.string(),
  subject: z.object({ type: z.string(), id: z.string() }),
  severity: z.enum(severities),
  deliveryKey: z.string(),
  payloadFingerprint: z.string(),
  metadata: Metadata,
  display: Display,
  rawPayloadRef: orNull(PayloadRef),
  occurredAt: z.iso.datetime(),
  receivedAt: z.iso.datetime(),
  /** `conflicted`: the producer sent other content with the same delivery key. */
  state: z.enum(['recorded', 'conflicted']),
  duplicateCount: z.int(),
  conflictCount: z.int(),
  conflictFingerprint: orNull(z.string()),
  conflictDetectedAt: orNull(z.iso.datetime()),
  /** The only person whose agents see a private event. Null for all. */
  onlyForUserId: orNull(Ulid),
  /** The publication before it on its channel, which subscriptions get first. */
  previousEventId: orNull(Ulid),
  /** The number of subscriptions that it matched; null before the stream has matched it. */
  matchCount: orNull(z.int()),
  version: z.int(),
  updatedAt: z.iso.datetime(),
});
export type ProjectEvent = z.infer<typeof ProjectEvent>;

export const isVisibleTo = (
  { onlyForUserId }: Pick<ProjectEvent, 'onlyForUserId'>,
  userId: string | null,
): boolean => onlyForUserId === null || onlyForUserId === userId;

const keptSeconds = 30 * 24 * 60 * 60;

export const eventKey = (eventId: string) => ({ pk: `PROJECTEVENT#${eventId}`, sk: 'PROJECTEVENT' });

/** One event for each delivery key of a source: a repeat has the same id. */
export const eventIdOf = (
  projectId: string,
  { source, deliveryKey }: Pick<ProjectEvent, 'source' | 'deliveryKey'>,
): string => derivedId('project-event', projectId, source, deliveryKey);

/** Partition of the index `byParent` with the events that are not matched yet. */
export const unmatchedEvents = 'UNMATCHEDEVENTS';

/** Of the index `byOwner`, for a producer that lists its events. */
export interface EventOrder {
  readonly ownerPk: string;
  readonly ownerSk: string;
}

export const eventItem = (event: ProjectEvent, order?: EventOrder) => ({
  ...eventKey(event.eventId),
  entity: 'project-event',
  schemaVersion: 1,
  parentPk: unmatchedEvents,
  parentSk: `${event.receivedAt}#${event.eventId}`,
  expiresAt: Math.floor(Date.parse(event.receivedAt) / 1_000) + keptSeconds,
  ...order,
  ...withoutNulls(event),
});

/** @throws {z.core.$ZodError} the content exceeds the limits of an event */
export function newEvent(projectId: string, given: z.input<typeof EventContent>, now: Date): ProjectEvent {
  const content = EventContent.parse(given);
  const at = now.toISOString();
  return {
    ...content,
    eventId: eventIdOf(projectId, content),
    projectId,
    payloadFingerprint: content.payloadFingerprint ?? fingerprintOf(content),
    receivedAt: at,
    state: 'recorded',
    duplicateCount: 0,
    conflictCount: 0,
    conflictFingerprint: null,
    conflictDetectedAt: null,
    onlyForUserId: null,
    previousEventId: null,
    matchCount: null,
    version: 1,
    updatedAt: at,
  };
}

/** The times are not in it: a repeat of a report may have another time. */
function fingerprintOf(content: EventContent): string {
  const { deliveryKey: _key, occurredAt: _time, payloadFingerprint: _given, ...digested } = content;
  return hashText(canonicalJson(digested));
}
