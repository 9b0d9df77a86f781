import type * as z from 'zod/mini';
import { recipientUnavailable } from '../agent-messages/errors.js';
import type { Participant } from '../agent-messages/managed-subscription.js';
import { sendOnChannel } from '../agent-messages/send-on-channel.js';
import type { Chat } from '../chats/chat.js';
import { canUseTools } from '../mcp-tokens/mcp-servers.js';
import { allow } from '../policy/allow.js';
import { channelActor } from './channel-actor.js';
import type { FoundTask } from './load-task.js';
import type { ToolContext } from './tool.js';

interface ChannelMessage {
  readonly message: string;
  readonly messageClass: 'notify' | 'deliver';
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey?: string | undefined;
}

/**
 * Publishes a message on the channel of the two chats. The recipient gets a prompt with ids only
 * and reads the message with get_event. The policy is that of a person's prompt.
 *
 * @throws {CapabilityMissing | NotCreator}
 * @throws {DomainError} with one of the four outcomes; nothing of the message is stored
 */
export async function sendByChannel(
  { caller, table, now, newId }: ToolContext,
  { task, chat: found }: FoundTask,
  { message, messageClass, metadata, idempotencyKey = newId() }: ChannelMessage,
) {
  if (!found) throw recipientUnavailable();
  const chat = allow('chat.prompt', caller, found);
  const { chatSessionId: chatId, userId, taskId, agentSessionId, projectId } = caller.token;
  const canRead = canUseTools(task.launch?.agentType.value ?? null) && chat.chatId !== chatId;
  const sender: Participant = { projectId, chatId, userId, taskId, agentSessionId };
  const { outcome, event, sequence } = await sendOnChannel(
    table,
    {
      ...{ actor: channelActor(caller), sender, message, messageClass, idempotencyKey },
      recipient: { ...recipientOf(chat), taskId: task.taskId },
      isReachable: canRead && takesMessages(chat),
      // It came as JSON.
      metadata: (metadata ?? null) as Record<string, z.core.util.JSONType> | null,
    },
    { newId, now },
  );
  return {
    ...{ accepted: true, delivered: false, queued: true, deliveryState: 'queued' },
    ...{ messageId: event.eventId, transport: 'agent_message_channel', channel: event.subject.id },
    ...{ eventId: event.eventId, sequence, replayed: outcome === 'duplicate_replay', idempotencyKey },
    // The transaction of the message has checked or made the subscription that takes it.
    recipient: { taskId: task.taskId, subscriptionMatched: true },
    receipt: {
      outcome,
      eventId: event.eventId,
      channel: event.subject.id,
      sequence,
      recordedAt: event.receivedAt,
    },
  };
}

const recipientOf = ({ projectId, chatId, userId, agentSessionId }: Chat) => ({
  ...{ projectId, chatId, userId, agentSessionId },
});

const takesMessages = ({ status, shutdownId, agentSessionId, startDeliveryId }: Chat): boolean =>
  (status === 'active' || status === 'sleeping') &&
  shutdownId === undefined &&
  (agentSessionId !== null || startDeliveryId !== undefined);
