import type { Workspaces, WorkspacesParts } from './workspaces.js';

/**
 * At start: brings what is on this machine and what is recorded together again, wherever the agent's former life
 * ended. Deletions are finished, half-made workspaces are made anew, running ones are taken over, and what nobody
 * knows is removed.
 */
export async function reconcileOnStart(workspaces: Workspaces, parts: WorkspacesParts): Promise<void> {
  const { store, log } = parts;
  for (const workspaceId of store.unfinishedDeletions()) {
    await tolerate(parts, workspaceId, () => workspaces.delete(workspaceId));
  }
  for (const workspaceId of await unknown(parts)) {
    log.warn('Removing remains of an unknown workspace', { workspaceId });
    await tolerate(parts, workspaceId, () => parts.runtime.remove(workspaceId));
  }
  for (const { workspaceId } of store.list()) {
    await tolerate(parts, workspaceId, () => takeOver(workspaceId, workspaces, parts));
  }
  workspaces.watch();
}

async function unknown({ store, runtime }: WorkspacesParts): Promise<string[]> {
  return (await runtime.found()).filter((workspaceId) => store.find(workspaceId) === null);
}

async function takeOver(
  workspaceId: string,
  workspaces: Workspaces,
  { store, runtime, provisioner }: WorkspacesParts,
) {
  const workspace = store.find(workspaceId);
  if (!workspace) return;
  if (workspace.status === 'creating') return provisioner.begin(workspace);
  if (workspace.status === 'stopped') return runtime.stop(workspaceId);
  if (workspace.status !== 'running' && workspace.status !== 'recovering') return;
  if (await runtime.resume(workspace)) return;
  // The machine has been off, or somebody else has ended it.
  await workspaces.recover(workspaceId);
}

/** One workspace that cannot be mended must not keep the node from serving the others. */
async function tolerate({ log }: WorkspacesParts, workspaceId: string, work: () => Promise<void> | void) {
  try {
    await work();
  } catch (error) {
    log.error('Workspace not taken over', { workspaceId, error });
  }
}
