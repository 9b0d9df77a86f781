import { neverInvoked, type PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { DeliveryReason, Prompt } from './prompt.js';

export const maxAttempts = 5;
const retryBaseMs = 5_000;
/** How old an attempt may grow without an answer before whoever finds it asks the node. */
export const receiptTimeoutMs = 30_000;

/** What has become of an attempt, as far as it is known. */
export type Answer =
  /** The node has taken it, now or before, or says itself that nobody can know. */
  | { readonly told: 'accepted'; readonly receipt: PromptReceipt }
  /** Proof that it has not taken it: it works on another one, or gets ready. */
  | { readonly told: 'not_ready'; readonly isBusy: boolean }
  /** The same: its session had failed, and runs again. */
  | { readonly told: 'revived' }
  /** It knows the delivery with another content. */
  | { readonly told: 'conflict' }
  /** It has no such session, or no such workspace. */
  | { readonly told: 'unknown_target' }
  /** It does not speak this protocol, or keeps no receipts. */
  | { readonly told: 'unsupported' }
  /** It refuses the request itself, and would again. */
  | { readonly told: 'refused' }
  /** Nothing of it can have reached the node. */
  | { readonly told: 'not_reached' }
  /** Not asked: the agent has yet to be woken. */
  | { readonly told: 'asleep' }
  /** It may have reached the node, which then said that it knows nothing of it. */
  | { readonly told: 'not_found'; readonly runtimeIdentity: string }
  /** It may have reached the node, which does not tell now. */
  | { readonly told: 'receipt_unavailable' }
  /** It may have reached the node, which can never tell. */
  | { readonly told: 'lost' };

export type Move =
  | { readonly to: 'delivered'; readonly receipt: PromptReceipt }
  | {
      readonly to: 'retry_wait';
      readonly reason: DeliveryReason;
      readonly at: Date;
      /** How many count as used. */
      readonly attempts: number;
    }
  | { readonly to: 'failed' | 'ambiguous' | 'expired'; readonly reason: DeliveryReason }
  /** It stays as it is: the node is asked again. */
  | { readonly to: 'delivering'; readonly at: Date };

/** The prompt of an attempt, as it stands before the answer. */
export type Attempted = Pick<
  Prompt,
  'deliveryAttempts' | 'attemptStartedAt' | 'runtimeIdentity' | 'deadlineAt'
>;

/**
 * What follows from what became of an attempt. Only proof that the node has not taken it leads to another attempt; where
 * there is none, the delivery is ambiguous.
 */
export function decideMove(prompt: Attempted, answer: Answer, now: Date): Move {
  switch (answer.told) {
    case 'accepted':
      return taken(prompt, answer.receipt, now);
    case 'not_ready':
      return again(prompt, answer.isBusy ? 'busy' : 'not_ready', now);
    case 'revived':
      return again(prompt, 'agent_failed', now);
    case 'asleep':
      return again(prompt, 'target_asleep', now);
    case 'not_reached':
      return again(prompt, 'node_unreachable', now);
    case 'not_found':
      if (answer.runtimeIdentity !== prompt.runtimeIdentity) return ambiguous('runtime_changed');
      return again(prompt, 'receipt_not_found', now);
    case 'receipt_unavailable':
      return askAgain(prompt, now);
    default:
      return end[answer.told];
  }
}

const ambiguous = (reason: DeliveryReason): Move => ({ to: 'ambiguous', reason });
const failed = (reason: DeliveryReason): Move => ({ to: 'failed', reason });

/** How a prompt ends of which so many attempts have come to that. */
const exhausted: Partial<Record<DeliveryReason, DeliveryReason>> = {
  receipt_not_found: 'attempts_exhausted',
  agent_failed: 'agent_failed',
};

const end = {
  conflict: failed('delivery_conflict'),
  unknown_target: failed('dead_target'),
  unsupported: failed('unsupported_capability'),
  refused: failed('refused'),
  lost: ambiguous('lost_response'),
} as const;

/** A receipt `accepted` is of a delivery that the node knows and has not taken: it may be sent again. */
function taken(prompt: Attempted, receipt: PromptReceipt, now: Date): Move {
  if (receipt.state === 'accepted') return again(prompt, 'not_ready', now);
  if (receipt.state === 'ambiguous') return ambiguous('runtime_changed');
  if (receipt.errorCode === neverInvoked) return failed('never_invoked');
  return { to: 'delivered', receipt };
}

function again(prompt: Attempted, reason: DeliveryReason, now: Date): Move {
  if (now.getTime() >= Date.parse(prompt.deadlineAt)) return { to: 'expired', reason: 'deadline_passed' };
  const used = prompt.deliveryAttempts;
  const end = exhausted[reason];
  if (end && used >= maxAttempts) return failed(end);
  // Waiting for an agent is bounded by time alone: it never uses up the last attempt.
  const attempts = end ? used : Math.min(used, maxAttempts - 1);
  return { to: 'retry_wait', reason, at: new Date(now.getTime() + retryDelayMs(attempts)), attempts };
}

const retryDelayMs = (attempts: number): number => retryBaseMs * 2 ** (attempts - 1);

/** A node that is away for a moment is asked once more; after that nobody waits for its word. */
function askAgain({ attemptStartedAt }: Attempted, now: Date): Move {
  const startedAt = attemptStartedAt === null ? now.getTime() : Date.parse(attemptStartedAt);
  const at = new Date(startedAt + receiptTimeoutMs);
  return at > now ? { to: 'delivering', at } : ambiguous('receipt_unavailable');
}
