import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { advanceTask } from './change-task.js';
import type { Task } from './task.js';

/**
 * An agent that has ended its turn without having completed its task waits for a person, unless a message waits for it.
 * One table call, or none.
 */
export async function noteActivity(
  table: Table,
  task: Task,
  { chat, now }: { readonly chat: Pick<Chat, 'activity' | 'queuedPrompts'>; readonly now: Date },
): Promise<void> {
  const isIdle = chat.activity?.activity === 'idle' && chat.queuedPrompts === 0;
  if (task.status !== 'in_progress' || !isIdle) return;
  await advanceTask(table, { task, step: 'awaiting_followup', now });
}
