import { endMarkedProcesses, markedProcesses } from '../marked-processes.js';

/** In the environment of each process of a standalone workspace, and so of all they start. */
export const workspaceMark = 'SVC_WORKSPACE_ID';

/** Ends every process of the workspace; where there is no /proc, terminals have been hung up already. */
export async function endProcesses(workspaceId: string): Promise<void> {
  await endMarkedProcesses({ name: workspaceMark, value: workspaceId });
}

/** Process ids of all standalone workspaces, in one pass over the machine. */
export function workspaceProcesses(): Promise<ReadonlyMap<string, readonly number[]>> {
  return markedProcesses(workspaceMark);
}
