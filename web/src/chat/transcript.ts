import type { LiveMessage } from '../../../protocol/live.js';

/** Messages by their sequence. The same message may arrive several times, in any order. */
export type Transcript = ReadonlyMap<number, LiveMessage>;

export function withMessages(known: Transcript, arrived: readonly LiveMessage[]): Transcript {
  if (arrived.length === 0) return known;
  const all = [...known.values(), ...arrived.map((message) => whole(known.get(message.sequence), message))];
  const sorted = all.sort((one, other) => one.sequence - other.sequence);
  return new Map(sorted.map((message) => [message.sequence, message]));
}

/** A frame leaves out what is too long for it. What is known already stays. */
function whole(before: LiveMessage | undefined, after: LiveMessage): LiveMessage {
  const { content = null, toolMetadata = null } = before ?? {};
  return after.content === null ? { ...after, content, toolMetadata } : after;
}

/** What a message shows of the states of its delivery. */
const shown: Readonly<Record<string, NonNullable<LiveMessage['delivery']>['state']>> = {
  delivered: 'delivered',
  acked: 'delivered',
  failed: 'failed',
  expired: 'failed',
  ambiguous: 'ambiguous',
};

/** How far a message to the agent has come. */
export function withDelivery(
  known: Transcript,
  { deliveryId, state, reason }: { deliveryId: string; state: string; reason: string | null },
): Transcript {
  const message = [...known.values()].find(({ delivery }) => delivery?.deliveryId === deliveryId);
  if (!message) return known;
  const delivery = { deliveryId, state: shown[state] ?? 'queued', reason };
  return withMessages(known, [{ ...message, delivery }]);
}

/** The first message that is missing between others, or whose content did not come. */
export function firstGap(known: Transcript): number | undefined {
  let next: number | undefined;
  for (const { sequence, lastSequence, content } of known.values()) {
    if (next !== undefined && sequence > next) return next;
    if (content === null) return sequence;
    next = Math.max(next ?? 0, lastSequence + 1);
  }
  return undefined;
}

/** What is shown as one: pieces of one answer, or one call of a tool. */
export interface Entry {
  /** Of its first message. */
  readonly key: number;
  readonly message: LiveMessage;
  readonly content: string;
}

const joined = new Set<LiveMessage['role']>(['assistant', 'thinking']);

/** Joins pieces of answers, and shows each tool call once, with its last state. */
export function entriesOf(known: Transcript): readonly Entry[] {
  const entries: Entry[] = [];
  const calls = new Map<unknown, number>();
  for (const message of known.values()) {
    const entry = { key: message.sequence, message, content: message.content ?? '' };
    const place = placeOf(message, entries, calls);
    const before = entries[place];
    if (!before) entries.push(entry);
    else if (message.role === 'tool') entries[place] = { ...entry, key: before.key };
    else entries[place] = { ...before, message, content: before.content + entry.content };
  }
  return entries;
}

/** Of the entry that a message changes, or of the next one. */
function placeOf(
  { role, toolMetadata }: LiveMessage,
  entries: readonly Entry[],
  calls: Map<unknown, number>,
): number {
  const end = entries.length;
  if (joined.has(role)) return entries.at(-1)?.message.role === role ? end - 1 : end;
  const callId = role === 'tool' ? toolMetadata?.toolCallId : undefined;
  if (callId === undefined) return end;
  const place = calls.get(callId) ?? end;
  calls.set(callId, place);
  return place;
}
