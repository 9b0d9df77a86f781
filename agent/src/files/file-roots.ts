import { join } from 'node:path';
import type { WorkspaceProcesses } from '../ports/workspace-processes.js';
import type { WorkspaceRunner } from '../workspaces/command.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { FileRoot } from './plain-file.js';

/** The files of workspaces on this machine are the agent's own as well. */
export function localFileRoots(runner: Pick<WorkspaceRunner, 'place'>) {
  return async (workspace: Workspace): Promise<FileRoot> => {
    const { root } = runner.place(workspace);
    return { folder: root, path: root, reader: process.getuid?.() ?? null, isStill: async () => true };
  };
}

/** What a container has mounted, as its first process sees it; who the workspace's user is there is not known here. */
export function containerFileRoots(processes: Pick<WorkspaceProcesses, 'leader'>, procFolder: string) {
  return async ({ workspaceId }: Workspace): Promise<FileRoot | null> => {
    const pid = await processes.leader(workspaceId);
    if (pid === null) return null;
    const isStill = async () => (await processes.leader(workspaceId)) === pid;
    return { folder: join(procFolder, String(pid), 'root'), path: '/', reader: null, isStill };
  };
}
