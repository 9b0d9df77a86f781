import { endStaleItems } from '../domain/inbox/end-stale-items.js';
import { findMissingItems } from '../domain/inbox/find-missing-items.js';
import type { Sweep } from './sweep.js';

/** Repairs what a lost change of the table did not do to inboxes, a bounded part a pass. */
export async function sweepInbox({ table, now }: Pick<Sweep, 'table' | 'now'>): Promise<void> {
  await endStaleItems(table, now);
  await findMissingItems(table, now);
}
