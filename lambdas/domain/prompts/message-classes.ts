import type { Chat } from '../chats/chat.js';
import { type MessageClass, messageClasses, type Prompt } from './prompt.js';

const rankOf = (messageClass: MessageClass): number => messageClasses.indexOf(messageClass);

/** Does not wait for the end of the running turn. */
export const isUrgent = (messageClass: MessageClass): boolean => rankOf(messageClass) >= rankOf('interrupt');

type Ranked = Pick<Prompt, 'messageClass' | 'sequence'>;

/** An interruption does not cancel the turn of a later and more urgent prompt. */
export const yieldsTo = (prompt: Ranked, running: Ranked | undefined): boolean =>
  running !== undefined &&
  rankOf(running.messageClass) > rankOf(prompt.messageClass) &&
  running.sequence > prompt.sequence;

/** Its sender has replan since. A replan does not affect prompts of other senders. */
export const isSuperseded = (
  { sourceTaskId, sequence }: Pick<Prompt, 'sourceTaskId' | 'sequence'>,
  { replan }: Pick<Chat, 'replan'>,
): boolean => replan !== undefined && replan.sourceTaskId === sourceTaskId && sequence < replan.sequence;

/**
 * The chat ends with another prompt. Only the prompt that starts the agent still goes before it.
 */
export const isShutOut = (
  { deliveryId }: Pick<Prompt, 'deliveryId'>,
  { shutdownId, startDeliveryId }: Pick<Chat, 'shutdownId' | 'startDeliveryId'>,
): boolean => shutdownId !== undefined && deliveryId !== shutdownId && deliveryId !== startDeliveryId;

/** Added to the text of a prompt: an agent does not see the class. */
export const classInstructions: Readonly<Partial<Record<MessageClass, string>>> = {
  preempt_and_replan:
    'Your previous work was stopped for this message. This message takes precedence over earlier instructions: make a new plan with it.',
  shutdown_with_final_prompt:
    'Your previous work was stopped for this message. It is the last message: your session ends with this turn.',
};
