import { type Chat, chatKey } from '../chats/chat.js';
import type { Write } from '../records/transact.js';
import type { AskedPrompt } from './accept-prompt.js';
import { loneMark, waitsAlone } from './lone-prompt.js';
import { newPrompt } from './prompt.js';
import { promptWrites } from './prompt-writes.js';
import { shutdownDone } from './shutdown-mark.js';

const ofTheAgentBefore = [
  ...['workspaceId', 'agentSessionId', 'activity', 'endedAt'],
  ...['isBegun', 'deliveringId', 'shutdownId', 'replanned'],
];

/**
 * What is written of a chat that has ended and goes on with another agent, which a message of its own begins: the same as
 * of a new one, after what was said before.
 */
export function beginChatAgain(chat: Chat, prompt: AskedPrompt, now: Date): readonly Write[] {
  const { chatId, projectId, lastSequence, version } = chat;
  const at = now.toISOString();
  const sequence = lastSequence + 1;
  const first = newPrompt(
    { ...prompt, chatId, projectId, kind: 'start', sequence, isLone: waitsAlone(chat) },
    now,
  );
  return [
    {
      update: {
        key: chatKey(chatId),
        set: {
          status: 'active',
          startDeliveryId: prompt.deliveryId,
          lone: first.isLone ? loneMark(first) : undefined,
          lastSequence: sequence,
          lastMessageAt: at,
          updatedAt: at,
        },
        remove: ofTheAgentBefore,
        add: { messageCount: 1, queuedPrompts: 1, version: 1 },
        when: { equals: { version, status: 'stopped' } },
      },
    },
    ...promptWrites(first),
    shutdownDone(chatId),
  ];
}
