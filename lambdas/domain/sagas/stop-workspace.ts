import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Table } from '../../shared/table.js';
import type { Ending } from '../endings/endings.js';
import { claimStop, type StopClaim } from '../workspaces/stopping.js';
import { failStep } from './saga-steps.js';
import type { Sagas } from './sagas.js';

export interface StopDeps {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly sagas: Pick<Sagas, 'startStopWorkspace'>;
  readonly now: Date;
}

interface WorkspaceToStop {
  readonly workspaceId: string;
  readonly userId: string;
  /** The cause with which a waiting provisioning step fails. */
  readonly cause?: string;
  /** Without it a person stopped it. */
  readonly because?: Ending;
}

/**
 * Claims the stop of a workspace, fails its waiting provisioning step and starts the saga.
 * `onNotStarted` is called when the claim holds and the saga did not start: the sweep starts it.
 *
 * @throws {workspaceNotFound | workspaceNotInState}
 */
export async function stopWorkspace(
  { table, stepFunctions, sagas, now }: StopDeps,
  { workspaceId, userId, because, cause = 'The workspace was stopped' }: WorkspaceToStop,
  onNotStarted: (error: unknown) => void,
): Promise<StopClaim['status']> {
  const { status, generation, taskToken } = await claimStop(table, { workspaceId, userId, because, now });
  await Promise.all([
    taskToken && failStep(stepFunctions, taskToken, { error: 'WorkspaceStopped', cause }),
    status === 'stopping' && sagas.startStopWorkspace({ workspaceId, generation }),
  ]).catch(onNotStarted);
  return status;
}
