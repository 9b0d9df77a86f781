import type { Submission } from '../node-client/prompt-calls.js';
import { classWords } from './message-classes.js';
import type { Prompt } from './prompt.js';

/**
 * What a node knows a delivery by. It takes each once: what is delivered again is another one to it, under which the rules of
 * receipts hold anew.
 */
export const nodeDeliveryId = ({ deliveryId, redeliveries }: Pick<Prompt, 'deliveryId' | 'redeliveries'>) =>
  redeliveries === 0 ? deliveryId : `${deliveryId}.${redeliveries}`;

/** A prompt as its agent reads it: the same each time, for to the node another text is another delivery. */
export function submissionOf(prompt: Prompt): Omit<Submission, 'start'> {
  const { promptMessageId, content, messageClass, ackRequired, redeliveries } = prompt;
  const word = classWords[messageClass];
  const parts = [
    ...(redeliveries > 0 ? ['This was sent to you before and was not acknowledged.'] : []),
    content,
    ...(word === undefined ? [] : [word]),
    ...(ackRequired ? [howToAcknowledge(prompt)] : []),
  ];
  return { deliveryId: nodeDeliveryId(prompt), messageId: promptMessageId, text: parts.join('\n\n') };
}

const howToAcknowledge = ({ deliveryId }: Prompt): string =>
  `Call ack_message with messageId ${deliveryId} once you have read this; otherwise it is sent again.`;
