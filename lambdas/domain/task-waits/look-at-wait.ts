import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { type Bells, ring } from '../prompts/bell.js';
import { reconcileWait } from './reconcile-wait.js';
import type { WaitRef } from './task-wait.js';

export interface WakeParts {
  readonly table: Table;
  readonly bells: Bells;
  readonly now: Date;
  readonly log: Log;
}

/** Ends a wait if it is over, and rings for the prompt that wakes its agent. */
export async function lookAtWait({ table, bells, now, log }: WakeParts, ref: WaitRef): Promise<void> {
  const waitId = await reconcileWait(table, ref, now);
  if (!waitId) return;
  await ring(bells, { chatId: ref.chatId, ringId: waitId }).catch((error: unknown) => {
    // The prompt is there: the sweep rings for it.
    log.error('Bell not rung', { chatId: ref.chatId, error });
  });
}
