import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';

export interface SagaStart {
  readonly stateMachineArn: string;
  /** Names the resource and the attempt: a repeat is the same execution. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `false`: an execution of this name has been started before, and may have ended. */
export async function startSaga(
  client: SFNClient,
  { stateMachineArn, name, input }: SagaStart,
): Promise<boolean> {
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
    return true;
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return false;
    throw error;
  }
}

/** Names of executions, one place for handlers and the sweep. */
export const sagaNames = {
  provision: (workspaceId: string, generation: number) => `${workspaceId}-${generation}`,
  stop: (workspaceId: string, generation: number) => `${workspaceId}-${generation}-stop`,
  delete: (workspaceId: string, attempt: number) => `${workspaceId}-delete-${attempt}`,
  removeNode: (nodeId: string, mode: string, attempt: number) => `${nodeId}-${mode}-${attempt}`,
  runTask: (taskId: string, run: number) => `${taskId}-${run}-run`,
  endRun: (taskId: string, run: number, attempt: number) => `${taskId}-${run}-end-${attempt}`,
  endMembership: (projectId: string, userId: string, version: number) => `${projectId}-${userId}-${version}`,
  endAccess: (userId: string, version: number) => `${userId}-access-${version}`,
  endSession: (sessionHash: string) => `${sessionHash}-end`,
} as const;
