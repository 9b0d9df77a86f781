import type { Chat } from '../chats/chat.js';
import { type MessageClass, messageClasses, type Prompt } from './prompt.js';

const rankOf = (messageClass: MessageClass): number => messageClasses.indexOf(messageClass);

/** It does not wait for the end of the turn that runs. */
export const isUrgent = (messageClass: MessageClass): boolean => rankOf(messageClass) >= rankOf('interrupt');

type Sent = Pick<Prompt, 'messageClass' | 'sequence'>;

/** What was sent later and is more urgent is answered first: an older interruption does not end its turn. */
export const yieldsTo = (prompt: Sent, running: Sent | undefined): boolean =>
  running !== undefined &&
  rankOf(running.messageClass) > rankOf(prompt.messageClass) &&
  running.sequence > prompt.sequence;

/** Its sender has sent another plan since. What people and others have sent is theirs to take back. */
export const isSuperseded = (
  { sourceTaskId, sequence }: Pick<Prompt, 'sourceTaskId' | 'sequence'>,
  { replanned }: Pick<Chat, 'replanned'>,
): boolean =>
  replanned !== undefined && replanned.sourceTaskId === sourceTaskId && sequence < replanned.sequence;

/** The agent ends with another prompt. What begins it goes before even that. */
export const isShutOut = (
  { deliveryId }: Pick<Prompt, 'deliveryId'>,
  { shutdownId, startDeliveryId }: Pick<Chat, 'shutdownId' | 'startDeliveryId'>,
): boolean => shutdownId !== undefined && deliveryId !== shutdownId && deliveryId !== startDeliveryId;

/** What its agent is told with a prompt, for the agent knows nothing of classes. */
export const classWords: Readonly<Partial<Record<MessageClass, string>>> = {
  preempt_and_replan:
    'What you were doing was stopped for this. It comes before what you were told earlier: plan anew with it.',
  shutdown_with_final_prompt:
    'What you were doing was stopped for this. It is the last message: your session ends with this turn.',
};
