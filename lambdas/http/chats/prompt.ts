// POST /api/projects/{projectId}/sessions/{sessionId}/prompt

import { acceptPrompt } from '../../domain/prompts/accept-prompt.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { prompt } from './contract.js';
import { ownChatRoute } from './own-chat-route.js';

export const handler = ownChatRoute('chat.prompt', prompt, async (call) => {
  const { chat, body, request, user, table, now, newId, log } = call;
  const { content, messageClass, messageId } = body;
  const key = idempotencyKeyOf(request, body);
  const accepted = await acceptPrompt(
    table,
    {
      deliveryId: newId(),
      promptMessageId: messageId ?? key?.key,
      sourceKind: 'user_followup',
      senderType: 'human',
      senderId: user.userId,
      messageClass,
      content,
    },
    { chat, now },
  );
  await trySendWakeUp({ wakeUpQueues, log }, { chatId: chat.chatId, wakeUpId: accepted.deliveryId });
  const { deliveryId, messageId: shownAs } = accepted;
  const wakes = chat.status === 'sleeping';
  return { status: 202, body: { accepted: true, status: 'queued', deliveryId, messageId: shownAs, wakes } };
});
