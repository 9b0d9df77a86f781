import { canUseTools } from '../mcp-tokens/mcp-servers.js';
import { allow } from '../policy/allow.js';
import { acceptPrompt } from '../prompts/accept-prompt.js';
import { ChatHasNoAgent } from '../prompts/errors.js';
import type { MessageClass } from '../prompts/prompt.js';
import { ackTimeoutMs } from '../prompts/prompt-state.js';
import { trySendWakeUp } from '../prompts/wake-up.js';
import type { Task } from '../tasks/task.js';
import type { FoundTask } from './load-task.js';
import { sendByChannel } from './send-by-channel.js';
import type { ToolContext } from './tool.js';

interface AgentMessage {
  readonly message: string;
  readonly messageClass: MessageClass;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Less than the limit of a prompt, because the prompt also names the sender. */
export const maxAgentMessage = 32_000;

/**
 * Queues a message for another task's agent, labelled as an agent's. A deployment with message
 * channels publishes it instead, unless it interrupts the recipient. The policy is that of a
 * person's prompt: the session must belong to the person for whom the sender works. A repeat with
 * the same key is sent once. One table call, and one more for each concurrent message.
 *
 * @throws {CapabilityMissing | NotCreator}
 * @throws {ChatHasNoAgent | ChatEnded | promptConflict | promptQueueFull | MessageLimitExceeded}
 */
export async function sendMessage(context: ToolContext, target: FoundTask, asked: AgentMessage) {
  const { messageClass } = asked;
  if (context.areMessageChannelsEnabled && (messageClass === 'notify' || messageClass === 'deliver'))
    return sendByChannel(context, target, { ...asked, messageClass });
  return sendPrompt(context, target, asked);
}

async function sendPrompt(
  { caller, table, wakeUpQueues, now, newId, log }: ToolContext,
  { task, chat: found }: FoundTask,
  { message, messageClass, metadata, idempotencyKey }: AgentMessage,
) {
  if (!found) throw new ChatHasNoAgent();
  const chat = allow('chat.prompt', caller, found);
  const { chatSessionId, taskId, agentSessionId } = caller.token;
  const sender = taskId ? `task ${taskId}` : `session ${chatSessionId}`;
  const accepted = await acceptPrompt(
    table,
    {
      deliveryId: newId(),
      promptMessageId: idempotencyKey && `agent:${chatSessionId}:${idempotencyKey}`,
      sourceKind: 'agent_mailbox',
      senderType: 'agent',
      senderId: agentSessionId,
      sourceTaskId: taskId,
      messageClass,
      metadata: metadata ?? null,
      ...(asksForAck(task, messageClass) ? { ackRequired: true, ackTimeoutMs } : {}),
      content: `Message from the agent of ${sender}, not from a person:\n\n${message}`,
    },
    { chat, now },
  );
  const { deliveryId } = accepted;
  await trySendWakeUp({ wakeUpQueues, log }, { chatId: chat.chatId, wakeUpId: deliveryId });
  return {
    accepted: true,
    delivered: false,
    deliveryState: 'queued',
    messageId: deliveryId,
    deliveryId,
    recipient: { taskId: task.taskId },
  };
}

/** An agent without tools cannot acknowledge, and a shutdown message ends with the turn. */
const asksForAck = ({ launch }: Task, messageClass: MessageClass): boolean =>
  messageClass !== 'shutdown_with_final_prompt' && canUseTools(launch?.agentType.value ?? null);
