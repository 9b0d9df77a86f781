import { findNodeWithWorkspaces } from '../domain/nodes/find-node.js';
import type { Node } from '../domain/nodes/node.js';
import { isPastLifetime, orphanMs } from '../domain/nodes/node-life.js';
import { nodeHealth } from '../domain/nodes/node-status.js';
import { transact } from '../domain/records/transact.js';
import { sleepWorkspace } from '../domain/sagas/sleep-workspace.js';
import { readIdleRows } from '../domain/workspaces/idle-rows.js';
import { earliestRest, type IdleRows, isAbandoned, restOf } from '../domain/workspaces/idle-rules.js';
import { claimIdleStop } from '../domain/workspaces/idle-stop.js';
import { releaseSlot } from '../domain/workspaces/release-slot.js';
import { holderOf, slotOf, type Workspace } from '../domain/workspaces/workspace.js';
import { Conflict } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import { isOlder, type Sweep } from './sweep.js';

/** Ends what nobody uses on a node with workspaces. */
export async function sweepIdle(sweep: Sweep, node: Node): Promise<void> {
  const mayHaveStrays = isOlder(sweep, node.slotsChangedAt, orphanMs);
  // A silent node may have use to report. Only its lifetime ends it.
  const mayRest = isHealthy(sweep, node) || isPastLifetime(node, sweep.now);
  if (!mayHaveStrays && !mayRest) return;
  const { workspaces } = await findNodeWithWorkspaces(sweep.table, node.nodeId);
  if (mayHaveStrays) await releaseStraySlots(sweep, node, workspaces);
  if (mayRest) await endUnused(sweep, node, workspaces);
}

const isHealthy = ({ now }: Sweep, { lastHeartbeatAt }: Node): boolean =>
  nodeHealth(lastHeartbeatAt, now) === 'healthy';

async function endUnused(sweep: Sweep, node: Node, workspaces: readonly Workspace[]): Promise<void> {
  const { now } = sweep;
  const candidates = await readCandidates(sweep, workspaces);
  const areAll = candidates.length === workspaces.length;
  const areAllAbandoned =
    areAll && isPastLifetime(node, now) && candidates.every((rows) => isAbandoned(rows, now));
  for (const rows of candidates) {
    if (areAllAbandoned) await stop(sweep, rows, 'node_lifetime');
    else if (isHealthy(sweep, node)) await rest(sweep, rows);
  }
}

/** The workspaces that may be idle by their own rows. */
async function readCandidates(
  { table, now }: Sweep,
  workspaces: readonly Workspace[],
): Promise<readonly IdleRows[]> {
  const found: IdleRows[] = [];
  for (const workspace of workspaces) {
    const rows = earliestRest(workspace) <= now && (await readIdleRows(table, workspace.workspaceId));
    if (rows) found.push(rows);
  }
  return found;
}

async function rest(sweep: Sweep, rows: IdleRows): Promise<void> {
  const due = restOf(rows);
  if (!due?.dueAt || due.dueAt > sweep.now) return;
  if (due.kind === 'stop') await stop(sweep, rows, 'idle');
  else await sleep(sweep, rows);
}

/** A use or a message that comes first refuses it, and the pause after a failed sleep. */
async function sleep(sweep: Sweep, { workspace: { workspaceId } }: IdleRows): Promise<void> {
  if (!sweep.budgets.sleeps.take()) return;
  const { table, sagas, now, log } = sweep;
  const isDue = (rows: IdleRows): boolean => {
    const rest = restOf(rows);
    return rest?.dueAt !== undefined && rest.dueAt <= now;
  };
  try {
    await sleepWorkspace({ table, sagas }, { workspaceId, by: 'idle', isDue, now, newId }, (error) =>
      log.error('Sleep not started; the next sweep starts it', { workspaceId, error }),
    );
    log.info('Unused workspace sleeps', { workspaceId });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    log.info('Unused workspace does not sleep', { workspaceId, error });
  }
}

async function stop(sweep: Sweep, { workspace }: IdleRows, reason: string): Promise<void> {
  if (!sweep.budgets.workspaces.take()) return;
  const { workspaceId, nodeId } = workspace;
  if (!(await claimIdleStop(sweep.table, workspace, sweep.now))) return;
  sweep.log.info('Unused workspace stopped', { workspaceId, nodeId, reason });
  await sweep.sagas.startStopWorkspace(workspace);
}

/** A slot without its workspace would hold the node forever. The index is behind by seconds. */
async function releaseStraySlots(
  sweep: Sweep,
  { nodeId, slots = new Set() }: Node,
  workspaces: readonly Workspace[],
): Promise<void> {
  const held = new Set(workspaces.map(slotOf));
  for (const slot of slots) {
    if (held.has(slot)) continue;
    sweep.log.warn('Slot without a workspace released', { nodeId, slot });
    // The node did not confirm that nothing of the workspace runs.
    await transact(sweep.table, [
      releaseSlot(holderOf(slot), { nodeId, nodeConfirmed: false, now: sweep.now }),
    ]);
  }
}
