import type { PromptEnvelope } from '../../../protocol/agent-sessions.js';
import type { NodePrompts, StartSettings, Submission } from '../node-client/prompt-calls.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import type { NodeAnswer } from './delivery-outcome.js';
import type { Prompt } from './prompt.js';
import { classInstructions } from './prompt-state.js';

/**
 * The delivery id that the node knows. A node takes each id once, so a redelivery has another one,
 * with receipts of its own.
 */
export const nodeDeliveryId = ({ deliveryId, redeliveries }: Pick<Prompt, 'deliveryId' | 'redeliveries'>) =>
  redeliveries === 0 ? deliveryId : `${deliveryId}.${redeliveries}`;

/**
 * The prompt as its agent reads it. The text is always the same: to the node, other text is a
 * conflict.
 */
function submissionOf(prompt: Prompt): Omit<Submission, 'start'> {
  const { promptMessageId, content, messageClass, ackRequired, redeliveries } = prompt;
  const instructions = classInstructions[messageClass];
  const parts = [
    ...(redeliveries > 0 ? ['This message was sent to you before, and you did not acknowledge it.'] : []),
    content,
    ...(instructions === undefined ? [] : [instructions]),
    ...(ackRequired ? [howToAcknowledge(prompt)] : []),
  ];
  return { deliveryId: nodeDeliveryId(prompt), messageId: promptMessageId, text: parts.join('\n\n') };
}

const howToAcknowledge = ({ deliveryId }: Prompt): string =>
  `When you have read this message, call ack_message with messageId ${deliveryId}. Otherwise it is sent again.`;

export type Readiness =
  | {
      readonly isReady: true;
      readonly node: NodePrompts;
      readonly runtimeIdentity: string;
      readonly protocolVersion: number;
    }
  | { readonly isReady: false; readonly answer: NodeAnswer };

/** Whether the node can take prompts, before anything is sent to it. */
export async function askReadiness(node: NodePrompts): Promise<Readiness> {
  try {
    const { receiptSupported, ...capabilities } = await node.capabilities();
    if (!receiptSupported) return { isReady: false, answer: { is: 'unsupported' } };
    return { isReady: true, node, ...capabilities };
  } catch (error) {
    return { isReady: false, answer: refusalOf(error, 'unsupported') };
  }
}

interface SendOptions {
  /** The settings to start the agent with, when this prompt starts it. */
  readonly start: StartSettings | undefined;
  /** Cancel the running turn first. */
  readonly cancelsFirst: boolean;
}

/** Sends a prompt. When the answer is lost, asks for the receipt at once. */
export async function sendPrompt(
  node: NodePrompts,
  prompt: Prompt,
  { start, cancelsFirst }: SendOptions,
): Promise<NodeAnswer> {
  const submission = { ...submissionOf(prompt), start };
  try {
    const isCancelled = cancelsFirst && (await node.cancel()).status === 'cancelled';
    const answer = answerOf(await node.submit(submission));
    if (answer) return answer;
    return isCancelled ? { is: 'not_ready', isBusy: true } : await resumeAndRetry(node, submission);
  } catch (error) {
    if (error instanceof NodeUnreachable && error.mayHaveActed)
      return askReceipt(node, submission.deliveryId);
    return refusalOf(error, 'refused');
  }
}

/** Undefined when the node proves that it has not taken the prompt. */
function answerOf({ status, receipt }: PromptEnvelope): NodeAnswer | undefined {
  if (status === 'accepted') return { is: 'has_receipt', receipt };
  return status === 'conflict' ? { is: 'conflict' } : undefined;
}

/** Finds out why the prompt was not taken. A failed or suspended agent session is resumed. */
async function resumeAndRetry(node: NodePrompts, submission: Submission): Promise<NodeAnswer> {
  const session = await node.readSession();
  if (!session || session.status === 'stopped') return { is: 'unknown_target' };
  if (session.status === 'running') return { is: 'not_ready', isBusy: session.hostStatus === 'prompting' };
  await node.resume();
  // This submission starts the agent. The agent is rarely ready at once; the node reports when it
  // is.
  return answerOf(await node.submit(submission)) ?? { is: 'resumed' };
}

/** The receipt of a delivery whose answer was lost. */
export async function askReceipt(node: NodePrompts, deliveryId: string): Promise<NodeAnswer> {
  try {
    const receipt = await node.receipt(deliveryId);
    if (receipt.state === 'not_found') return { is: 'not_found', runtimeIdentity: receipt.runtimeIdentity };
    return { is: 'has_receipt', receipt };
  } catch (error) {
    if (isNotReached(error)) return { is: 'receipt_unavailable' };
    // Only a structured answer of the agent proves anything.
    if (error instanceof NodeRefused) return { is: 'lost' };
    throw error;
  }
}

/**
 * A 401 or 403 means that the node did not look at the request: the control plane's token is at
 * fault.
 */
const isNotReached = (error: unknown): boolean =>
  error instanceof NodeUnreachable ||
  (error instanceof NodeRefused && (error.status === 401 || error.status === 403));

function refusalOf(error: unknown, otherwise: 'unsupported' | 'refused'): NodeAnswer {
  if (isNotReached(error)) return { is: 'not_reached' };
  if (!(error instanceof NodeRefused)) throw error;
  const isUnknown = error.status === 404 && error.reason === 'not_found';
  return { is: isUnknown ? 'unknown_target' : otherwise };
}
