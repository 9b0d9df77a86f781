import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { changeTo } from '../records/nulls.js';
import { transact, type Write } from '../records/transact.js';
import type { Move } from './decide-move.js';
import { type Prompt, promptKey } from './prompt.js';
import { dueSk, waitingKey } from './waiting-prompt.js';

/** It is tried again later. Nothing is returned when it was moved meanwhile. One table call. */
export async function delayPrompt(
  table: Table,
  prompt: Prompt,
  { move, now }: { readonly move: Extract<Move, { to: 'retry_wait' }>; readonly now: Date },
): Promise<Prompt | undefined> {
  const { chatId, deliveryId } = prompt;
  const nextAttemptAt = move.at.toISOString();
  const change = {
    deliveryState: 'retry_wait' as const,
    deliveryAttempts: move.attempts,
    lastError: move.reason,
    nextAttemptAt,
  };
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    {
      update: {
        key: chatKey(chatId),
        remove: ['deliveringId'],
        when: { equals: { deliveringId: deliveryId } },
      },
    },
    {
      update: {
        key: waitingKey(prompt),
        set: { parentSk: dueSk(nextAttemptAt, deliveryId) },
        when: { exists: true },
      },
    },
  ]);
  return committed ? { ...prompt, ...change } : undefined;
}

/** From how it was read, and from nothing else. */
export function promptMove(prompt: Prompt, change: Partial<Prompt>, now: Date): Write {
  const { chatId, deliveryId, version, deliveryState } = prompt;
  return {
    update: {
      key: promptKey(chatId, deliveryId),
      ...changeTo({ ...change, version: version + 1, updatedAt: now.toISOString() }),
      when: { equals: { version, deliveryState } },
    },
  };
}
