import { neverInvoked, type PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { DeliveryReason, Prompt } from './prompt.js';

export const maxAttempts = 5;
const retryBaseMs = 5_000;
/**
 * An attempt without an answer for this time is abandoned: the worker asks the node for its
 * receipt.
 */
export const receiptTimeoutMs = 30_000;

/** What the node, or the lack of an answer, says about an attempt. */
export type NodeAnswer =
  /** The node took the prompt, now or before, or says that the result is unknown. */
  | { readonly is: 'has_receipt'; readonly receipt: PromptReceipt }
  /** The node did not take it: the agent works on another prompt, or starts. */
  | { readonly is: 'not_ready'; readonly isBusy: boolean }
  /** The node did not take it: the agent session had failed, and starts again. */
  | { readonly is: 'resumed' }
  /** The node knows the delivery id with other content. */
  | { readonly is: 'conflict' }
  /** The node has no such workspace or agent session. */
  | { readonly is: 'unknown_target' }
  /** The node speaks another protocol, or keeps no receipts. */
  | { readonly is: 'unsupported' }
  /** The node refuses the request, and would refuse a repeat. */
  | { readonly is: 'refused' }
  /** The request cannot have reached the node. */
  | { readonly is: 'not_reached' }
  /** The workspace sleeps: the node was not asked. */
  | { readonly is: 'asleep' }
  /** The request may have reached the node, which has no receipt of it. */
  | { readonly is: 'not_found'; readonly runtimeIdentity: string }
  /** The request may have reached the node, which cannot be asked now. */
  | { readonly is: 'receipt_unavailable' }
  /** The request may have reached the node, which can never be asked again. */
  | { readonly is: 'lost' };

export type DeliveryOutcome =
  | { readonly to: 'delivered'; readonly receipt: PromptReceipt }
  | {
      readonly to: 'retry_wait';
      readonly reason: DeliveryReason;
      readonly at: Date;
      /** The number of attempts that count as used. */
      readonly attempts: number;
    }
  | { readonly to: 'failed' | 'ambiguous' | 'expired'; readonly reason: DeliveryReason }
  /** The state stays: the worker asks the node again. */
  | { readonly to: 'delivering'; readonly at: Date };

/** The prompt as the attempt left it. */
type AttemptedPrompt = Pick<
  Prompt,
  'deliveryAttempts' | 'attemptStartedAt' | 'runtimeIdentity' | 'deadlineAt'
>;

/**
 * The outcome of an attempt. Only proof that the node has not taken the prompt allows another
 * attempt; without proof the delivery is ambiguous.
 */
export function outcomeOf(prompt: AttemptedPrompt, answer: NodeAnswer, now: Date): DeliveryOutcome {
  switch (answer.is) {
    case 'has_receipt':
      return ofReceipt(prompt, answer.receipt, now);
    case 'not_ready':
      return retry(prompt, answer.isBusy ? 'busy' : 'not_ready', now);
    case 'not_found':
      if (answer.runtimeIdentity !== prompt.runtimeIdentity) return ambiguous('runtime_changed');
      return retry(prompt, 'receipt_not_found', now);
    case 'receipt_unavailable':
      return askAgain(prompt, now);
    case 'resumed':
    case 'asleep':
    case 'not_reached':
      return retry(prompt, retryReasons[answer.is], now);
    default:
      return finalOutcomes[answer.is];
  }
}

const retryReasons = {
  resumed: 'agent_failed',
  asleep: 'target_asleep',
  not_reached: 'node_unreachable',
} as const;

const ambiguous = (reason: DeliveryReason): DeliveryOutcome => ({ to: 'ambiguous', reason });
const failed = (reason: DeliveryReason): DeliveryOutcome => ({ to: 'failed', reason });

/** The final reason when the last attempt ends with this one. */
const exhausted: Partial<Record<DeliveryReason, DeliveryReason>> = {
  receipt_not_found: 'attempts_exhausted',
  agent_failed: 'agent_failed',
};

const finalOutcomes = {
  conflict: failed('delivery_conflict'),
  unknown_target: failed('dead_target'),
  unsupported: failed('unsupported_capability'),
  refused: failed('refused'),
  lost: ambiguous('lost_response'),
} as const;

/** A receipt `accepted` means that the node knows the delivery and has not taken it. */
function ofReceipt(prompt: AttemptedPrompt, receipt: PromptReceipt, now: Date): DeliveryOutcome {
  if (receipt.state === 'accepted') return retry(prompt, 'not_ready', now);
  if (receipt.state === 'ambiguous') return ambiguous('runtime_changed');
  if (receipt.errorCode === neverInvoked) return failed('never_invoked');
  return { to: 'delivered', receipt };
}

function retry(prompt: AttemptedPrompt, reason: DeliveryReason, now: Date): DeliveryOutcome {
  if (now.getTime() >= Date.parse(prompt.deadlineAt)) return { to: 'expired', reason: 'deadline_passed' };
  const used = prompt.deliveryAttempts;
  const end = exhausted[reason];
  if (end && used >= maxAttempts) return failed(end);
  // Waiting for an agent never uses up the last attempt: only the deadline limits it.
  const attempts = end ? used : Math.min(used, maxAttempts - 1);
  return { to: 'retry_wait', reason, at: new Date(now.getTime() + retryDelayMs(attempts)), attempts };
}

const retryDelayMs = (attempts: number): number => retryBaseMs * 2 ** (attempts - 1);

/** The node is asked once more after a short outage; then the delivery is ambiguous. */
function askAgain({ attemptStartedAt }: AttemptedPrompt, now: Date): DeliveryOutcome {
  const startedAt = attemptStartedAt === null ? now.getTime() : Date.parse(attemptStartedAt);
  const at = new Date(startedAt + receiptTimeoutMs);
  return at > now ? { to: 'delivering', at } : ambiguous('receipt_unavailable');
}
