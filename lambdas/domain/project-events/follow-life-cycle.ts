import type { Table } from '../../shared/table.js';
import { admitEvent } from './admit-event.js';
import { lifeCycleEventOf } from './life-cycle.js';
import { newEvent } from './project-event.js';

type Row = Readonly<Record<string, unknown>>;

interface RowChange {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/**
 * Records the event of a change of the table. It is made from the stream: that costs no write of
 * the transactions that move a task, a session or a workspace. Repeatable. No table call for most
 * changes, else one, and two for a repeat.
 */
export async function followLifeCycle(table: Table, { before, after }: RowChange, now: Date): Promise<void> {
  const found = lifeCycleEventOf(before, after);
  if (found) await admitEvent(table, newEvent(found.projectId, found.content, now), now);
}
