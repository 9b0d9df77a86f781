import { recoverEvicted } from '../domain/evictions/recover-evicted.js';
import { undoLaunch } from '../domain/nodes/undo-launch.js';
import { failStep } from '../domain/sagas/saga-steps.js';
import { dropSnapshot } from '../domain/snapshots/drop-snapshot.js';
import { endLostSessions } from '../domain/tasks/workspace-loss.js';
import { nextDeletionAttempt } from '../domain/workspaces/claim-deletion.js';
import { removeDnsName } from '../domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../domain/workspaces/find-workspace.js';
import { markErrored } from '../domain/workspaces/provisioning.js';
import { releaseWorkspaceSlot } from '../domain/workspaces/release-slot.js';
import { failOnNode } from '../domain/workspaces/running-failure.js';
import { markStopped } from '../domain/workspaces/stopping.js';
import type { Workspace } from '../domain/workspaces/workspace.js';
import { isPendingReconcile, isUsable } from '../domain/workspaces/workspace-status.js';
import { isOlder, type Sweep } from './sweep.js';
import { goOnSleeping } from './sweep-sleep.js';

const minute = 60_000;

/** Longer than the timeout of the function that starts the saga. */
const neverStartedMs = 2 * minute;
/** Longer than the saga's timeouts: 15 min for the node, 30 min for the workspace, and the undo. */
const provisioningMs = 60 * minute;
/** Longer than a restore of 20 minutes, its undo and their retries. */
const wakingMs = 45 * minute;
/** Longer than the retries of stop-workspace. */
const stoppingMs = 30 * minute;
/** delete-workspace retries for a day. */
const deletingMs = 26 * 60 * minute;

/** Continues with one workspace. True when it has reached a final state. */
export async function sweepWorkspace(sweep: Sweep, workspaceId: string): Promise<boolean> {
  const workspace = await findWorkspace(sweep.table, workspaceId);
  if (workspace && isUnderWay(workspace)) {
    await goOn(sweep, workspace);
    return false;
  }
  await tidyUp(sweep, workspaceId, workspace);
  return true;
}

const isUnderWay = ({ status, sleep, wake, recovery }: Workspace): boolean =>
  sleep !== undefined ||
  recovery !== undefined ||
  isPendingReconcile(status) ||
  (wake !== undefined && isUsable(status));

async function goOn(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { status, sleep, deletion, recovery } = workspace;
  // Another sweep wakes the chats that it continues.
  if (recovery) await recoverEvicted(sweep, workspace.workspaceId);
  if (sleep) await goOnSleeping(sweep, workspace, sleep);
  else if (isUsable(status) && workspace.wake) await goOnWaking(sweep, workspace);
  else if (deletion) await goOnDeleting(sweep, workspace);
  else if (status === 'stopping') await goOnStopping(sweep, workspace);
  else if (status === 'rebuilding') await giveUpRebuilding(sweep, workspace);
  else if (isPendingReconcile(status)) await goOnProvisioning(sweep, workspace);
}

/** Removes what requests and the stream have left of a workspace in a final state. */
async function tidyUp(sweep: Sweep, workspaceId: string, workspace: Workspace | undefined): Promise<void> {
  const { table, zone, objects, now } = sweep;
  // The route that confirms a deletion at once leaves the DNS name to the sweep.
  await removeDnsName(zone, workspace);
  const isEnded = workspace?.status === 'stopped' || workspace?.status === 'deleted';
  if (isEnded) await dropSnapshot(table, workspaceId, { objects, now });
  // The stream has ended them, unless every retry failed. Another sweep wakes their chats.
  if (workspace?.agentSessions) await endLostSessions({ ...sweep, wake: async () => {} }, workspaceId);
}

async function goOnProvisioning(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { status, statusChangedAt } = workspace;
  if (!isOlder(sweep, statusChangedAt, status === 'pending' ? neverStartedMs : provisioningMs)) return;
  const started = await sweep.sagas.startProvisionWorkspace(workspace);
  if (started && status === 'pending') return;
  if (!isOlder(sweep, statusChangedAt, provisioningMs)) return;
  await giveUp(sweep, workspace, 'Provisioning had no result within an hour. Create the workspace again.');
}

/** Its snapshot stays: the workspace sleeps again, and a message wakes it. */
async function goOnWaking(sweep: Sweep, workspace: Workspace): Promise<void> {
  if (!isOlder(sweep, workspace.statusChangedAt, wakingMs)) return;
  await giveUp(sweep, workspace, 'The restore had no result within 45 minutes.');
}

/** The saga has timed out: the sweep undoes its steps. */
async function giveUp(sweep: Sweep, workspace: Workspace, errorMessage: string): Promise<void> {
  const { table, now, log } = sweep;
  const { workspaceId, nodeId } = workspace;
  const { undo } = await markErrored(table, workspace, { errorMessage, now });
  if (!undo) return;
  log.warn('Provisioning failed by the sweep', { workspaceId, nodeId });
  const nodeConfirmed = workspace.dispatchedAt === null;
  await releaseWorkspaceSlot(table, workspace, { nodeConfirmed, now });
  if (!nodeId) return;
  const launch = { nodeId, launchedFor: workspaceId, isStopped: false, mayHaveFiles: false, now };
  if (!(await undoLaunch(table, launch))) log.info('The node is kept', { nodeId });
}

/** The node rebuilds and reports. A node that does not report in time has lost the workspace. */
async function giveUpRebuilding(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { workspaceId, generation, nodeId, statusChangedAt } = workspace;
  if (!nodeId || !isOlder(sweep, statusChangedAt, provisioningMs)) return;
  const errorMessage = 'The rebuild had no result within an hour. Restart or rebuild the workspace.';
  await failOnNode(
    sweep.table,
    { workspaceId, generation, nodeId, wake: undefined, eviction: undefined },
    { errorMessage, now: sweep.now },
  );
}

async function goOnStopping(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { statusChangedAt } = workspace;
  if (!isOlder(sweep, statusChangedAt, neverStartedMs)) return;
  await answerWaiting(sweep, workspace);
  await sweep.sagas.startStopWorkspace(workspace);
  if (isOlder(sweep, statusChangedAt, stoppingMs)) {
    const nodeConfirmed = workspace.dispatchedAt === null;
    await markStopped(sweep.table, workspace, { nodeConfirmed, now: sweep.now });
  }
}

/** Fails the waiting provisioning step, which otherwise waits until its timeout. */
async function answerWaiting({ stepFunctions }: Sweep, { taskToken }: Workspace): Promise<void> {
  const failure = { error: 'WorkspaceStopped', cause: 'The workspace was stopped' };
  if (taskToken) await failStep(stepFunctions, taskToken, failure);
}

async function goOnDeleting(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { deletion, updatedAt } = workspace;
  if (!deletion || !isOlder(sweep, deletion.claimedAt, neverStartedMs)) return;
  await answerWaiting(sweep, workspace);
  const start = (attempt: number) => sweep.sagas.startDeleteWorkspace({ ...workspace, attempt });
  if (!isOlder(sweep, updatedAt, deletingMs)) {
    await start(deletion.attempt);
    return;
  }
  const attempt = await nextDeletionAttempt(sweep.table, workspace, sweep.now);
  if (attempt !== undefined) await start(attempt);
}
