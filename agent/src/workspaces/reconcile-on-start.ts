import type { Quarantine } from './quarantine.js';
import { isRunning } from './workspace.js';
import type { Workspaces } from './workspaces.js';
import type { WorkspacesDeps } from './workspaces-deps.js';

interface Reconciled {
  readonly workspaces: Workspaces;
  readonly quarantine: Quarantine;
}

/**
 * Reconciles this machine with the records when the agent starts: finishes deletions, continues
 * unfinished workspaces, adopts running ones and quarantines unknown ones.
 */
export async function reconcileOnStart(
  { workspaces, quarantine }: Reconciled,
  deps: WorkspacesDeps,
): Promise<void> {
  const { store } = deps;
  for (const workspaceId of store.unfinishedDeletions()) {
    await attempt(deps, workspaceId, () => workspaces.delete(workspaceId));
  }
  await quarantine.begin();
  for (const { workspaceId } of store.list()) {
    await attempt(deps, workspaceId, () => adopt(workspaceId, workspaces, deps));
  }
  workspaces.watch();
}

async function adopt(
  workspaceId: string,
  workspaces: Workspaces,
  { store, runtime, provisioner, evictions }: WorkspacesDeps,
) {
  if (store.find(workspaceId)?.isEvicted)
    await workspaces.exclusively(workspaceId, async () => evictions?.reconcile(workspaceId));
  const workspace = store.find(workspaceId);
  if (!workspace) return;
  if (workspace.status === 'creating') return provisioner.begin(workspace);
  if (workspace.status === 'stopped') return runtime.stop(workspaceId);
  if (!isRunning(workspace)) return;
  if (await runtime.resume(workspace)) return;
  // The machine was off, or the workspace was ended from outside.
  await workspaces.recover(workspaceId);
}

/** A workspace that fails must not keep the node from serving the others. */
async function attempt({ log }: WorkspacesDeps, workspaceId: string, work: () => Promise<void> | void) {
  try {
    await work();
  } catch (error) {
    log.error('Workspace could not be reconciled', { workspaceId, error });
  }
}
