import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { WorkspaceStopped } from './errors.js';
import type { WaitingStep, Workspace } from './workspace.js';

export interface Waiting {
  readonly workspaceId: string;
  readonly generation: number;
  readonly step: WaitingStep;
  readonly taskToken: string;
  /** What the step learns or does at the same time. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

/**
 * Remembers how to answer the saga step that waits. A token can be written only while the workspace is being
 * provisioned: a stop that came first is heard here, and one that comes later finds the token.
 *
 * @throws {WorkspaceStopped}
 */
export async function awaitCallback(table: Table, waiting: Waiting): Promise<Workspace> {
  const { workspaceId, generation, step, taskToken, set, now } = waiting;
  const outcome = await changeWorkspace(table, {
    workspaceId,
    set: { ...set, taskToken, waitingStep: step },
    when: { equals: { generation, status: 'provisioning' } },
    now,
  });
  if (!outcome.changed) throw new WorkspaceStopped(workspaceId);
  return outcome.workspace;
}
