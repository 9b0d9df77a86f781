import type { Table } from '../../shared/table.js';
import { listDue } from '../records/list-due.js';
import { recordChange } from '../records/record-change.js';
import { transact } from '../records/transact.js';
import { duePartition, Interaction, interactionKey, shownState } from './interaction.js';
import { contentKey } from './interaction-content.js';
import { endWrites } from './interaction-moves.js';

/** One page; the next sweep sees the rest. */
const pageSize = 100;

/**
 * Expires requests whose deadline has passed, deletes contents an hour after their end, and returns
 * answers whose next attempt is overdue. One table call, and one for each that changes.
 */
export async function sweepInteractions(table: Table, now: Date): Promise<readonly Interaction[]> {
  const items = await listDue(table, { partition: duePartition, now, limit: pageSize });
  const due = items.map((item) => Interaction.parse(item));
  for (const interaction of due) {
    if (shownState(interaction, now) === 'expired' && interaction.state === 'pending')
      await transact(table, endWrites(interaction, 'expired', now));
    else if (interaction.endedAt) await purge(table, interaction, now);
  }
  return due.filter(({ state }) => state === 'answered');
}

/** Clients see nothing of it but that the detail is gone. */
async function purge(table: Table, interaction: Interaction, now: Date): Promise<void> {
  const { chatId, interactionId } = interaction;
  await transact(table, [
    { delete: contentKey(interaction), when: {} },
    {
      update: recordChange<Interaction>(interactionKey(chatId, interactionId), {
        index: { parentPk: null, parentSk: null },
        when: { present: ['endedAt'] },
        isInternal: true,
        now,
      }),
    },
  ]);
}
