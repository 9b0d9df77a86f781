import { beginRemoval } from '../domain/nodes/removal.js';
import { failStep } from '../domain/sagas/answer-step.js';
import { sagaNames, startSaga } from '../domain/sagas/start-saga.js';
import { nextDeletionAttempt } from '../domain/workspaces/claim-deletion.js';
import { removeDnsName } from '../domain/workspaces/confirm-deletion.js';
import { findWorkspace } from '../domain/workspaces/find-workspace.js';
import { markErrored } from '../domain/workspaces/provisioning.js';
import { releaseWorkspaceSlot } from '../domain/workspaces/release-slot.js';
import { failOnNode } from '../domain/workspaces/running-failure.js';
import { markStopped } from '../domain/workspaces/stopping.js';
import type { Workspace } from '../domain/workspaces/workspace.js';
import { isUnsettled } from '../domain/workspaces/workspace-status.js';
import { isOlder, type Sweep } from './sweep.js';

const minute = 60_000;

/** Longer than the function that started the saga could have lived. */
const neverStartedMs = 2 * minute;
/** Longer than the saga's own waits: 15 min for the node, 30 min for the workspace, and its undo. */
const provisioningMs = 60 * minute;
/** Longer than the retries of stop-workspace. */
const stoppingMs = 30 * minute;
/** A day and more: delete-workspace tries that long itself. */
const deletingMs = 26 * 60 * minute;

/** Goes on with one workspace where a crash left it; true when it has come to rest. */
export async function sweepWorkspace(sweep: Sweep, workspaceId: string): Promise<boolean> {
  const workspace = await findWorkspace(sweep.table, workspaceId);
  if (!workspace || !isUnsettled(workspace.status)) {
    // A deletion that was proven at once has left the name to this.
    await removeDnsName(sweep.zone, workspace);
    return true;
  }
  if (workspace.deletion) await goOnDeleting(sweep, workspace);
  else if (workspace.status === 'stopping') await goOnStopping(sweep, workspace);
  else if (workspace.status === 'rebuilding') await giveUpRebuilding(sweep, workspace);
  else await goOnProvisioning(sweep, workspace);
  return false;
}

async function goOnProvisioning(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { workspaceId, generation, status, statusChangedAt } = workspace;
  if (!isOlder(sweep, statusChangedAt, status === 'pending' ? neverStartedMs : provisioningMs)) return;
  const started = await startSaga(sweep.stepFunctions, {
    stateMachineArn: sweep.arns['provision-workspace'],
    name: sagaNames.provision(workspaceId, generation),
    input: { workspaceId, generation },
  });
  if (started && status === 'pending') return;
  if (!isOlder(sweep, statusChangedAt, provisioningMs)) return;
  await giveUp(sweep, workspace);
}

/** The saga has had its time: what it should have undone is undone here. */
async function giveUp(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { table, now, log } = sweep;
  const { workspaceId, nodeId } = workspace;
  const errorMessage = 'Provisioning had no result within an hour. Create the workspace again.';
  const { undo } = await markErrored(table, workspace, { errorMessage, now });
  if (!undo) return;
  log.warn('Provisioning failed by the sweep', { workspaceId, nodeId });
  const heard = workspace.dispatchedAt === null;
  await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: heard, now });
  if (!nodeId) return;
  await beginRemoval(table, { nodeId, mode: 'delete', launchedFor: workspaceId, now }).catch(
    (error: unknown) => log.info('The node is kept', { nodeId, error }),
  );
}

/** Its node makes it by itself, and tells; one that never does has lost it. */
async function giveUpRebuilding(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { workspaceId, generation, nodeId, statusChangedAt } = workspace;
  if (!nodeId || !isOlder(sweep, statusChangedAt, provisioningMs)) return;
  const errorMessage = 'The rebuild had no result within an hour. Restart or rebuild the workspace.';
  await failOnNode(sweep.table, { workspaceId, generation, nodeId }, { errorMessage, now: sweep.now });
}

async function goOnStopping(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { workspaceId, generation, statusChangedAt } = workspace;
  if (!isOlder(sweep, statusChangedAt, neverStartedMs)) return;
  await answerWaiting(sweep, workspace);
  await startSaga(sweep.stepFunctions, {
    stateMachineArn: sweep.arns['stop-workspace'],
    name: sagaNames.stop(workspaceId, generation),
    input: { workspaceId, generation },
  });
  if (isOlder(sweep, statusChangedAt, stoppingMs)) {
    const heard = workspace.dispatchedAt === null;
    await markStopped(sweep.table, workspace, { nodeConfirmed: heard, now: sweep.now });
  }
}

/** The provisioning step that waits must hear of the stop, or it waits until its time is out. */
async function answerWaiting({ stepFunctions }: Sweep, { taskToken }: Workspace): Promise<void> {
  const failure = { error: 'WorkspaceStopped', cause: 'The workspace was stopped' };
  if (taskToken) await failStep(stepFunctions, taskToken, failure);
}

async function goOnDeleting(sweep: Sweep, workspace: Workspace): Promise<void> {
  const { workspaceId, generation, deletion, updatedAt } = workspace;
  if (!deletion || !isOlder(sweep, deletion.claimedAt, neverStartedMs)) return;
  await answerWaiting(sweep, workspace);
  const start = (attempt: number) =>
    startSaga(sweep.stepFunctions, {
      stateMachineArn: sweep.arns['delete-workspace'],
      name: sagaNames.delete(workspaceId, attempt),
      input: { workspaceId, generation },
    });
  if (!isOlder(sweep, updatedAt, deletingMs)) {
    await start(deletion.attempt);
    return;
  }
  const attempt = await nextDeletionAttempt(sweep.table, workspace, sweep.now);
  if (attempt !== undefined) await start(attempt);
}
