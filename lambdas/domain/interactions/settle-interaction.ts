import type { SettleReason } from '../../../protocol/interactions.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { interactionConflict } from './errors.js';
import type { Interaction } from './interaction.js';
import { endWrites, interactionMove, met, retries } from './interaction-moves.js';

/** The end of a request that nobody answered here. */
const endOf = {
  wrapper_cancelled: 'cancelled',
  /** A viewer on the node has answered, or what the link asked for is done. */
  completed: 'cancelled',
  expired: 'expired',
  connection_closed: 'interrupted',
  connection_replaced: 'interrupted',
  session_stopped: 'interrupted',
} as const satisfies Readonly<Record<SettleReason, string>>;

/**
 * Ends a pending request. An answered one stays as it is: its delivery finds out whether the agent
 * got the answer. One table call, or none.
 */
export async function settleInteraction(
  table: Table,
  seen: Interaction,
  { reason, now }: { readonly reason: SettleReason; readonly now: Date },
): Promise<Interaction['state']> {
  return retryOnConflict(seen, retries, async (interaction) => {
    if (interaction.state !== 'pending') return { result: interaction.state };
    const to = endOf[reason];
    const outcome = await transact(table, endWrites(interaction, to, now));
    return outcome.committed ? { result: to } : met(outcome.refusals[0]?.item);
  });
}

/**
 * Notes that what a link asked for is done. Repeatable. One table call, or none.
 *
 * @throws {interactionConflict} it is no link, or another one
 */
export async function completeUrl(
  table: Table,
  seen: Interaction,
  { elicitationId, now }: { readonly elicitationId: string; readonly now: Date },
): Promise<Interaction['state']> {
  if (seen.elicitationHash !== hashText(elicitationId)) throw interactionConflict();
  return retryOnConflict(seen, retries, async (interaction) => {
    if (interaction.completedAt) return { result: interaction.state };
    const set = { completedAt: now.toISOString() };
    const { changed, item } = await changeItem(table, interactionMove(interaction, { set, now }));
    return changed ? { result: interaction.state } : met(item);
  });
}
