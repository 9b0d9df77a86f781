import type { PromptEnvelope } from '../../../protocol/agent-sessions.js';
import type { NodePrompts, StartSettings, Submission } from '../node-client/prompt-calls.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import type { Answer } from './decide-move.js';
import { submissionOf } from './node-delivery.js';
import type { Prompt } from './prompt.js';

/** Codes by which a node says that it has no such workspace or session. */
const isUnknown = (error: unknown): boolean =>
  error instanceof NodeRefused && error.status === 404 && error.reason === 'not_found';

/** It did not look at the request at all: our token is not taken, which is for us to mend. */
const isTurnedAway = (error: unknown): boolean =>
  error instanceof NodeRefused && (error.status === 401 || error.status === 403);

export type Readiness =
  | {
      readonly isReady: true;
      readonly node: NodePrompts;
      readonly runtimeIdentity: string;
      readonly protocolVersion: number;
    }
  | { readonly isReady: false; readonly answer: Answer };

/** Whether the node can be told at all, before anything is sent. */
export async function askReadiness(node: NodePrompts): Promise<Readiness> {
  try {
    const { receiptSupported, ...told } = await node.capabilities();
    if (!receiptSupported) return { isReady: false, answer: { told: 'unsupported' } };
    return { isReady: true, node, ...told };
  } catch (error) {
    if (error instanceof NodeUnreachable || isTurnedAway(error))
      return { isReady: false, answer: { told: 'not_reached' } };
    if (error instanceof NodeRefused)
      return { isReady: false, answer: { told: isUnknown(error) ? 'unknown_target' : 'unsupported' } };
    throw error;
  }
}

export interface Sending {
  /** How to begin the agent, if this prompt begins it. */
  readonly start: StartSettings | undefined;
  /** The turn that runs gives way. */
  readonly cancelsFirst: boolean;
}

/** Sends a prompt. An answer that was lost is looked for at once. */
export async function sendPrompt(
  node: NodePrompts,
  prompt: Prompt,
  { start, cancelsFirst }: Sending,
): Promise<Answer> {
  const submission = { ...submissionOf(prompt), start };
  try {
    const isCancelled = cancelsFirst && (await node.cancel()).status === 'cancelled';
    const answer = readEnvelope(await node.submit(submission));
    if (answer) return answer;
    return isCancelled ? busy : await revive(node, submission);
  } catch (error) {
    if (error instanceof NodeUnreachable && error.mayHaveActed)
      return askReceipt(node, submission.deliveryId);
    return refusedSubmission(error);
  }
}

const busy: Answer = { told: 'not_ready', isBusy: true };

/** Nothing where it was not taken, which the node has then proved. */
function readEnvelope({ status, receipt }: PromptEnvelope): Answer | undefined {
  if (status === 'accepted') return { told: 'accepted', receipt };
  return status === 'conflict' ? { told: 'conflict' } : undefined;
}

/** Why a prompt was not taken; a session that has failed on its node, or is suspended there, is made to run again. */
async function revive(node: NodePrompts, submission: Submission): Promise<Answer> {
  const seen = await node.look();
  if (!seen || seen.status === 'stopped') return { told: 'unknown_target' };
  if (seen.status === 'running') return { told: 'not_ready', isBusy: seen.hostStatus === 'prompting' };
  await node.resume();
  // Not taken yet as a rule: it starts the agent, which tells when it is ready.
  return readEnvelope(await node.submit(submission)) ?? { told: 'revived' };
}

function refusedSubmission(error: unknown): Answer {
  if (error instanceof NodeUnreachable || isTurnedAway(error)) return { told: 'not_reached' };
  if (error instanceof NodeRefused) return { told: isUnknown(error) ? 'unknown_target' : 'refused' };
  throw error;
}

/** What the node knows of a delivery whose answer was lost. */
export async function askReceipt(node: NodePrompts, deliveryId: string): Promise<Answer> {
  try {
    const receipt = await node.receipt(deliveryId);
    if (receipt.state === 'not_found') return { told: 'not_found', runtimeIdentity: receipt.runtimeIdentity };
    return { told: 'accepted', receipt };
  } catch (error) {
    if (error instanceof NodeUnreachable || isTurnedAway(error)) return { told: 'receipt_unavailable' };
    // Anything but the structured word of the agent proves nothing.
    if (error instanceof NodeRefused) return { told: 'lost' };
    throw error;
  }
}
