import {
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';

export interface StepFailure {
  /** The name that the state machine matches. */
  readonly error: string;
  readonly cause: string;
}

/** The most that Step Functions takes. */
const maxCauseLength = 32_768;

/** Lets a waiting step go on. One that has ended, or was answered, takes no notice. */
export const succeedStep = (client: SFNClient, taskToken: string): Promise<void> =>
  quietly(client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' })));

export const failStep = (
  client: SFNClient,
  taskToken: string,
  { error, cause }: StepFailure,
): Promise<void> =>
  quietly(
    client.send(new SendTaskFailureCommand({ taskToken, error, cause: cause.slice(0, maxCauseLength) })),
  );

/** Tells a waiting step that what it waits for is under way. */
export const keepStepAlive = (client: SFNClient, taskToken: string): Promise<void> =>
  quietly(client.send(new SendTaskHeartbeatCommand({ taskToken })));

const tooLate: readonly string[] = ['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'];

async function quietly(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof Error && tooLate.includes(error.name))) throw error;
  }
}
