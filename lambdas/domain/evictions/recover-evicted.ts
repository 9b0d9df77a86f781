import { derivedId } from '../../shared/derived-id.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { findChat } from '../chats/find-chat.js';
import { promptBySystem } from '../prompts/prompt-by-system.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { findWorkspace } from '../workspaces/find-workspace.js';

interface RecoveryDeps {
  readonly table: Table;
  readonly now: Date;
  readonly log: Log;
}

/**
 * Queues the message that continues each interrupted chat of an evicted workspace. Its id is that
 * of the eviction and the chat, so whatever repeats this, a chat gets one. The delivery wakes the
 * workspace. Returns the chats that got a message. Two table calls, and three for each chat.
 */
export async function recoverEvicted(deps: RecoveryDeps, workspaceId: string): Promise<readonly string[]> {
  const { table, now } = deps;
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.recovery) return [];
  const { recovery, version } = workspace;
  const continued: string[] = [];
  for (const chatId of recovery.chatIds)
    if (await continueChat(deps, recovery.of, chatId)) continued.push(chatId);
  // Otherwise the sweep does it again, which changes nothing.
  await changeWorkspace(table, { workspaceId, set: { recovery: null }, when: { equals: { version } }, now });
  return continued;
}

/** False: the chat has ended, or takes no more messages. */
async function continueChat({ table, now, log }: RecoveryDeps, of: string, chatId: string): Promise<boolean> {
  const chat = await findChat(table, chatId);
  if (!chat) return false;
  const deliveryId = derivedId(of, chatId);
  const message = { deliveryId, sourceKind: 'eviction_recovery', content: continuation(of) } as const;
  const isQueued = await promptBySystem(table, message, { chat, now });
  if (!isQueued) log.info('Interrupted work not continued', { chatId });
  return isQueued;
}

/** Ids, and no text of a person or agent. */
const continuation = (of: string): string =>
  [
    `Your workspace was stopped while you worked, because its node was short of memory or disk, and was restored from a snapshot (eviction ${of}).`,
    'Compare the end of this conversation with the files of the workspace before you go on.',
    'Newer messages of people come first.',
    'Do not repeat an action outside of the workspace that may have happened already.',
    'If the work is finished, say so and stay idle. Otherwise continue it.',
  ].join('\n');
