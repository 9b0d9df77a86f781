import { requestWake } from '../../domain/wake/request-wake.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { startProvisioning } from './start-provisioning.js';

export interface WakeCall {
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
}

/** Wakes a sleeping workspace, or joins the wake in progress. */
export async function wakeWorkspace(
  { table, now, newId, log }: WakeCall,
  workspace: Workspace,
): Promise<void> {
  const { workspaceId } = workspace;
  const wanted = await requestWake(table, { workspaceId, seen: workspace, now, newId });
  if (wanted.is === 'waking') await startProvisioning(wanted.workspace, log);
}
