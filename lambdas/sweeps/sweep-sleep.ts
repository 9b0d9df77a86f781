import { failEviction } from '../domain/evictions/end-eviction.js';
import { archiveSleeping } from '../domain/snapshots/archive-sleeping.js';
import { endSleep } from '../domain/snapshots/end-sleep.js';
import { listExpired } from '../domain/snapshots/expiry.js';
import { failSleep } from '../domain/snapshots/fail-sleep.js';
import type { ClaimedSleep } from '../domain/snapshots/verify-snapshot.js';
import type { SleepInProgress, Workspace } from '../domain/workspaces/workspace.js';
import { isOlder, type Sweep } from './sweep.js';

const minute = 60_000;
/** Longer than the timeout of the function that starts the saga. */
const neverStartedMs = 2 * minute;
/** Longer than a capture of 15 minutes and its verification. */
const capturingMs = 20 * minute;
/** Longer than that and the retries of the stop. */
const stoppingMs = 45 * minute;

/** Starts the saga of a sleep, or ends a sleep whose saga has timed out. */
export async function goOnSleeping(
  sweep: Sweep,
  { workspaceId, generation }: Workspace,
  { claimId, claimedAt, phase, by }: SleepInProgress,
): Promise<void> {
  if (!isOlder(sweep, claimedAt, neverStartedMs)) return;
  if (by === 'eviction') {
    await giveUpEviction(sweep, { workspaceId, generation, claimId, claimedAt });
    return;
  }
  await sweep.sagas.startSleepWorkspace({ workspaceId, generation, claimId });
  const claimed = { workspaceId, generation, claimId, now: sweep.now };
  if (phase === 'stopping' && isOlder(sweep, claimedAt, stoppingMs)) {
    sweep.log.warn('Sleep ended by the sweep', { workspaceId });
    // The sweep that sends wake-ups again finds the prompts that wait.
    await endSleep(sweep.table, { ...claimed, nodeConfirmed: false });
  }
  if (phase === 'capturing' && isOlder(sweep, claimedAt, capturingMs)) {
    const message = 'The capture had no result within 20 minutes.';
    await failSleep(sweep.table, {
      ...claimed,
      message,
      isCancelled: false,
      isFallback: true,
      isUnverified: false,
    });
  }
}

/** Its node never came back. A late report of an eviction with a verified snapshot still counts. */
async function giveUpEviction(
  { table, now, log }: Sweep,
  { claimedAt, ...claimed }: ClaimedSleep & Pick<SleepInProgress, 'claimedAt'>,
): Promise<void> {
  if (!isOlder({ now }, claimedAt, capturingMs)) return;
  log.warn('Eviction ended by the sweep', { workspaceId: claimed.workspaceId });
  await failEviction(table, claimed, { message: 'The eviction had no result within 20 minutes.', now });
}

/** Ends the workspaces that slept for seven days, with their chats and snapshots. */
export async function sweepExpiredSnapshots(sweep: Sweep): Promise<void> {
  const { table, now, objects } = sweep;
  for (const expiry of await listExpired(table, now)) {
    const isArchived = await archiveSleeping(table, expiry, { objects, now });
    if (isArchived) sweep.log.info('Sleeping workspace archived', { workspaceId: expiry.workspaceId });
  }
}
