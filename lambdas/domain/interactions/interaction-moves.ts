import type { InteractionState } from '../../../protocol/interactions.js';
import { chatChange } from '../chats/change-chat.js';
import type { Change } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import type { Attempt } from '../records/retry-on-conflict.js';
import type { Write } from '../records/transact.js';
import { interactionNotFound } from './errors.js';
import {
  dueSk,
  endedSk,
  expiresInSeconds,
  Interaction,
  interactionKey,
  keptContentMs,
} from './interaction.js';

export const retries = { attempts: 5, message: 'The interaction changed at the same time. Try again.' };

/**
 * The next attempt, from the item that a refused move met.
 *
 * @throws {interactionNotFound}
 */
export function met<Result>(item: unknown): Attempt<Interaction, Result> {
  if (!item) throw interactionNotFound();
  return { met: Interaction.parse(item) };
}

/** Every change of an interaction is made here: from the state and version that were read. */
export function interactionMove(
  { chatId, interactionId, state, version }: Interaction,
  { when, ...change }: RecordChange<Interaction>,
): Change {
  return recordChange<Interaction>(interactionKey(chatId, interactionId), {
    ...change,
    when: { ...when, equals: { state, version } },
  });
}

type EndState = Exclude<InteractionState, 'pending' | 'answered'>;

/**
 * The writes that end an interaction. One that waited for its answer no longer marks its chat. Its
 * content is due for deletion an hour later.
 */
export function endWrites(interaction: Interaction, to: EndState, now: Date): readonly Write[] {
  const { interactionId } = interaction;
  const purgeAt = new Date(now.getTime() + keptContentMs).toISOString();
  const move = interactionMove(interaction, {
    set: { state: to, endedAt: now.toISOString(), nextAttemptAt: null },
    index: { ownerSk: endedSk(interactionId, now), parentSk: dueSk(purgeAt, interactionId) },
    expiresInSeconds,
    now,
  });
  return [{ update: move }, ...(interaction.state === 'pending' ? [unmarkChat(interaction, now)] : [])];
}

/** Takes the attention marker of an interaction from its chat. */
export const unmarkChat = ({ chatId, interactionId }: Interaction, now: Date): Write => ({
  update: chatChange(chatId, { takeOut: { openInteractions: interactionId }, now }),
});
