import { isRunning } from './workspace.js';
import type { Workspaces, WorkspacesDeps } from './workspaces.js';

/**
 * Reconciles this machine with the records when the agent starts: finishes deletions, continues
 * unfinished workspaces, adopts running ones and removes unknown ones.
 */
export async function reconcileOnStart(workspaces: Workspaces, deps: WorkspacesDeps): Promise<void> {
  const { store, log } = deps;
  for (const workspaceId of store.unfinishedDeletions()) {
    await attempt(deps, workspaceId, () => workspaces.delete(workspaceId));
  }
  for (const workspaceId of await unknownWorkspaces(deps)) {
    log.warn('Removing unknown workspace', { workspaceId });
    await attempt(deps, workspaceId, () => deps.runtime.remove(workspaceId));
  }
  for (const { workspaceId } of store.list()) {
    await attempt(deps, workspaceId, () => adopt(workspaceId, workspaces, deps));
  }
  workspaces.watch();
}

async function unknownWorkspaces({ store, runtime }: WorkspacesDeps): Promise<string[]> {
  return (await runtime.found()).filter((workspaceId) => store.find(workspaceId) === null);
}

async function adopt(
  workspaceId: string,
  workspaces: Workspaces,
  { store, runtime, provisioner }: WorkspacesDeps,
) {
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
