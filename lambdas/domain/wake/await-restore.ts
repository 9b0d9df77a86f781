import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { listRunningSessions } from '../agent-sessions/find-sessions.js';
import { findSnapshot, type Snapshot } from '../snapshots/snapshot.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { WorkspaceStopped } from '../workspaces/errors.js';
import type { WorkspaceGeneration } from '../workspaces/find-workspace.js';
import type { WakeInProgress, Workspace } from '../workspaces/workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { AlreadyRestored, SnapshotMissing } from './errors.js';

export interface Waking {
  readonly workspace: Workspace;
  readonly snapshot: Snapshot;
  /** Those that continue, of earlier generations. */
  readonly sessions: readonly AgentSession[];
  readonly operationId: string;
}

/**
 * Stores the task token of the step that waits for a restore. A stop or deletion that came first is
 * visible to the step; a later one finds the token. Three table calls.
 *
 * @throws {WorkspaceStopped} the wake has ended
 * @throws {AlreadyRestored} an earlier run of the step has its result
 * @throws {SnapshotMissing}
 */
export async function awaitRestore(table: Table, waiting: WorkspaceGeneration & Waiting): Promise<Waking> {
  const { workspaceId, generation } = waiting;
  const { workspace, sessions } = await listRunningSessions(table, workspaceId);
  if (workspace?.generation !== generation) throw new WorkspaceStopped(workspaceId);
  const { wake } = workspace;
  if (!wake) throw new AlreadyRestored();
  const waking = await storeToken(table, { ...workspace, wake }, waiting);
  const snapshot = await findSnapshot(table, workspaceId);
  if (!snapshot?.objects) throw new SnapshotMissing();
  return { workspace: waking, snapshot, sessions, operationId: wake.operationId };
}

async function storeToken(
  table: Table,
  { workspaceId, generation, version, wake }: Workspace & { readonly wake: WakeInProgress },
  { taskToken, now }: Waiting,
): Promise<Workspace> {
  const outcome = await changeWorkspace(table, {
    workspaceId,
    set: { taskToken, waitingStep: 'restore-on-node', wake: { ...wake, phase: 'restoring' } },
    when: {
      equals: { generation, version },
      oneOf: { status: ['running', 'recovering'] },
      present: ['wake'],
    },
    now,
  });
  if (outcome.changed) return outcome.workspace;
  const { workspace } = outcome;
  if (workspace?.generation !== generation || !isUsable(workspace.status))
    throw new WorkspaceStopped(workspaceId);
  // The step is repeated, and reads the workspace again.
  throw new Error('The workspace changed at the same time.');
}

interface Waiting {
  readonly taskToken: string;
  readonly now: Date;
}
