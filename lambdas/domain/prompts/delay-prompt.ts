import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { transact } from '../records/transact.js';
import type { Move } from './decide-move.js';
import { letGo } from './leave-queue.js';
import { movePrompt, promptMove } from './move-prompt.js';
import type { Prompt } from './prompt.js';
import { dueSk, waitingKey } from './waiting-prompt.js';

interface Delay {
  readonly move: Extract<Move, { to: 'retry_wait' }>;
  /** As it is while the prompt is delivered. */
  readonly chat: Chat;
  readonly now: Date;
}

/** It is tried again later. Nothing is returned when it was moved meanwhile. One table call. */
export async function delayPrompt(
  table: Table,
  prompt: Prompt,
  { move, chat, now }: Delay,
): Promise<Prompt | undefined> {
  const nextAttemptAt = move.at.toISOString();
  const change = {
    deliveryState: 'retry_wait' as const,
    deliveryAttempts: move.attempts,
    lastError: move.reason,
    nextAttemptAt,
  };
  const swept = { parentSk: dueSk(nextAttemptAt, prompt.deliveryId) };
  if (prompt.isLone) {
    const isMoved = await movePrompt(table, prompt, { change: { ...change, ...swept }, now });
    return isMoved ? { ...prompt, ...change } : undefined;
  }
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    { update: { key: chatKey(chat.chatId), set: { updatedAt: now.toISOString() }, ...letGo(prompt, chat) } },
    { update: { key: waitingKey(prompt), set: swept, when: { exists: true } } },
  ]);
  return committed ? { ...prompt, ...change } : undefined;
}
