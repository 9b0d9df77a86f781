import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import type { Captured } from './capture-call.js';
import { AlreadyCaptured, SleepCancelled } from './errors.js';
import { findSnapshot, Snapshot, snapshotKey } from './snapshot.js';
import type { ClaimedSleep } from './verify-snapshot.js';

interface WaitingCapture extends ClaimedSleep {
  readonly taskToken: string;
  readonly now: Date;
}

/**
 * Stores the task token of the step that waits for a capture. A stop or deletion that came first is
 * visible to the step; a later one finds the token. Three table calls.
 *
 * @throws {SleepCancelled} the claim has ended
 * @throws {AlreadyCaptured} an earlier run of the step has its result
 */
export async function awaitCapture(table: Table, waiting: WaitingCapture): Promise<Captured> {
  const { workspaceId, generation, claimId, taskToken, now } = waiting;
  const keys = { workspace: workspaceKey(workspaceId), snapshot: snapshotKey(workspaceId) };
  const find = await getItems(table, Object.values(keys));
  const [found, record] = [find(keys.workspace), find(keys.snapshot)];
  if (!found || !record) throw new SleepCancelled();
  const { sleep, version, ...present } = Workspace.parse(found);
  if (present.generation !== generation || sleep?.claimId !== claimId || sleep.phase !== 'capturing')
    throw new SleepCancelled();
  const outcome = await changeWorkspace(table, {
    workspaceId,
    set: { taskToken, waitingStep: 'capture' },
    when: { equals: { generation, version }, present: ['sleep'] },
    isInternal: true,
    now,
  });
  // The step is repeated when another change came first, and reads the claim again.
  if (!outcome.changed) throw new Error('The workspace changed at the same time.');
  // The callback of an earlier run has used the token of that run.
  const snapshot = (await findSnapshot(table, workspaceId)) ?? Snapshot.parse(record);
  if (snapshot.capture?.operationId === claimId && snapshot.capture.completed) throw new AlreadyCaptured();
  return { workspace: { ...outcome.workspace, sleep }, snapshot };
}
