import type { Table } from '../../shared/table.js';
import { batchKey, type EventBatch } from '../event-subscriptions/event-batch.js';
import { Prompt, promptKey } from '../prompts/prompt.js';
import { shownState } from '../prompts/prompt-state.js';
import { getItem } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { recordChange } from '../records/record-change.js';
import { transact } from '../records/transact.js';
import { afterCooldown } from './plan-wake.js';
import { releaseTarget, type WakeTarget } from './wake-target.js';

export interface BatchOutcome {
  readonly state: 'delivered' | 'failed' | 'ambiguous' | 'expired' | 'cancelled';
  readonly reason: string | null;
}

type Delivered = Pick<Prompt, 'deliveryState' | 'receiptState' | 'terminalReason'>;

/** The outcome of a wake, by its prompt; undefined while the prompt waits. */
export function batchOutcome(prompt: Delivered): BatchOutcome | undefined {
  const { terminalReason: reason } = prompt;
  switch (shownState(prompt)) {
    case 'delivered':
    case 'acked':
      return { state: 'delivered', reason: null };
    case 'failed':
      // The person of the chat may not prompt it any more.
      if (reason === 'not_allowed') return { state: 'cancelled', reason: 'source_task_authority_revoked' };
      return { state: 'failed', reason };
    case 'ambiguous':
      return { state: 'ambiguous', reason: reason ?? 'lost_response' };
    case 'expired':
      return { state: 'expired', reason };
    default:
      return undefined;
  }
}

/**
 * Settles the batch of a wake by its prompt, and frees the chat for the next wake. Returns false
 * while the prompt waits. Repeatable: an acknowledged or settled batch stays. Two table calls.
 */
export async function settleWake(table: Table, prompt: Prompt, now: Date): Promise<boolean> {
  const outcome = batchOutcome(prompt);
  const subscriptionId = prompt.metadata?.subscriptionId;
  if (!outcome || prompt.sourceKind !== 'project_event_wake' || typeof subscriptionId !== 'string')
    return false;
  const { chatId, deliveryId: batchId } = prompt;
  await settleBatch(table, { subscriptionId, batchId }, { outcome, now });
  await transact(table, [releaseTarget(chatId, batchId, afterCooldown(now))]);
  return true;
}

async function settleBatch(
  table: Table,
  id: Pick<EventBatch, 'subscriptionId' | 'batchId'>,
  { outcome: { state, reason }, now }: { readonly outcome: BatchOutcome; readonly now: Date },
): Promise<void> {
  const at = now.toISOString();
  const isDelivered = state === 'delivered';
  const fields = isDelivered ? { deliveredAt: at } : { terminalAt: at, terminalReason: reason };
  await changeItem(
    table,
    recordChange<EventBatch>(batchKey(id), {
      set: { state, ...fields },
      // A delivery that was shown can turn out to be uncertain.
      when: { oneOf: { state: isDelivered ? ['pending'] : ['pending', 'delivered'] } },
      now,
    }),
  );
}

/** Settles the wake that a chat still waits for, if the stream has not. Three table calls. */
export async function settleOpenWake(
  table: Table,
  { chatId, batchId }: WakeTarget,
  now: Date,
): Promise<boolean> {
  if (batchId === null) return false;
  const key = promptKey(chatId, batchId);
  const found = await getItem(table, key);
  return found !== undefined && settleWake(table, Prompt.parse(found), now);
}
