import type { Table } from '../../shared/table.js';
import { claimSleep, type SleepClaim, type SleepRequest } from '../snapshots/claim-sleep.js';
import type { Sagas } from './sagas.js';

interface SleepDeps {
  readonly table: Table;
  readonly sagas: Pick<Sagas, 'startSleepWorkspace'>;
}

/**
 * Claims the sleep of a workspace and starts the saga. `onNotStarted` is called when the claim
 * holds and the saga did not start: the sweep starts it.
 *
 * @throws as `claimSleep`
 */
export async function sleepWorkspace(
  { table, sagas }: SleepDeps,
  request: SleepRequest,
  onNotStarted: (error: unknown) => void,
): Promise<SleepClaim> {
  const claim = await claimSleep(table, request);
  const { workspaceId } = request;
  await sagas.startSleepWorkspace({ ...claim, workspaceId }).catch(onNotStarted);
  return claim;
}
