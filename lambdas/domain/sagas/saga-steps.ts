import {
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import * as z from 'zod/mini';
import type { Workspace } from '../workspaces/workspace.js';

interface StepFailure {
  /** The name that Retry and Catch of the state machine match. */
  readonly error: string;
  readonly cause: string;
}

/** Limit of Step Functions. */
const maxCauseLength = 32_768;

/** Completes a waiting step. Has no effect on a step that has ended. */
export const succeedStep = (client: SFNClient, taskToken: string): Promise<void> =>
  ignoreEndedStep(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })));

export const failStep = (
  client: SFNClient,
  taskToken: string,
  { error, cause }: StepFailure,
): Promise<void> =>
  ignoreEndedStep(
    client.send(new SendTaskFailureCommand({ taskToken, error, cause: cause.slice(0, maxCauseLength) })),
  );

/** Extends the heartbeat timeout of a waiting step. */
export const keepStepAlive = (client: SFNClient, taskToken: string): Promise<void> =>
  ignoreEndedStep(client.send(new SendTaskHeartbeatCommand({ taskToken })));

const endedStepErrors: readonly string[] = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

async function ignoreEndedStep(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof Error && endedStepErrors.includes(error.name))) throw error;
  }
}

/** Extends the heartbeat of CreateOnNode; false when that step does not wait for this workspace. */
export async function keepCreationAlive(
  client: SFNClient,
  { status, waitingStep, taskToken }: Pick<Workspace, 'status' | 'waitingStep' | 'taskToken'>,
): Promise<boolean> {
  if (status !== 'provisioning' || waitingStep !== 'create-on-node' || !taskToken) return false;
  await keepStepAlive(client, taskToken);
  return true;
}

const LambdaError = z.object({ errorMessage: z.string() });

/** The message in the cause of a failed step: plain text, or the JSON of a Lambda error. */
export function messageOfCause(cause: string): string {
  try {
    const parsed = LambdaError.safeParse(JSON.parse(cause));
    return parsed.success ? parsed.data.errorMessage : cause;
  } catch {
    return cause;
  }
}
