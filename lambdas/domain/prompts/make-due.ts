import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Prompt } from './prompt.js';
import { dueSk, waitingKey } from './waiting-prompt.js';

/**
 * Has the sweep ring for a prompt that nobody else comes back for: its end is shown then, and its place is free. Nothing
 * where it is settled. One table call.
 */
export async function makeDue(table: Table, prompt: Prompt, now: Date): Promise<void> {
  await changeItem(table, {
    key: waitingKey(prompt),
    set: { parentSk: dueSk(now.toISOString(), prompt.deliveryId) },
    when: { exists: true },
  });
}
