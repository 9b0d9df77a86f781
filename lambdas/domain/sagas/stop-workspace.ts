import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Table } from '../../shared/table.js';
import { claimStop, type StopClaim } from '../workspaces/stopping.js';
import { failStep } from './answer-step.js';
import { sagaNames, startSaga } from './start-saga.js';

export interface StopParts {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly stopWorkspaceArn: string;
  readonly now: Date;
}

export interface WorkspaceToStop {
  readonly workspaceId: string;
  readonly userId: string;
  /** What a provisioning step that waits is told. */
  readonly cause?: string;
}

/**
 * Claims the stop of a workspace, then rings for it: ends a provisioning step that waits, and starts the saga. What
 * `onUnheard` is told is that the claim holds and the rest is left to the sweep.
 *
 * @throws {WorkspaceNotFound | WorkspaceNotInState}
 */
export async function stopWorkspace(
  { table, stepFunctions, stopWorkspaceArn, now }: StopParts,
  { workspaceId, userId, cause = 'The workspace was stopped' }: WorkspaceToStop,
  onUnheard: (error: unknown) => void,
): Promise<StopClaim['status']> {
  const { status, generation, taskToken } = await claimStop(table, { workspaceId, userId, now });
  await Promise.all([
    taskToken && failStep(stepFunctions, taskToken, { error: 'WorkspaceStopped', cause }),
    status === 'stopping' &&
      startSaga(stepFunctions, {
        stateMachineArn: stopWorkspaceArn,
        name: sagaNames.stop(workspaceId, generation),
        input: { workspaceId, generation },
      }),
  ]).catch(onUnheard);
  return status;
}
