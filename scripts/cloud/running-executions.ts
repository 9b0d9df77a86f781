import { paginateListExecutions, type SFNClient, StopExecutionCommand } from '@aws-sdk/client-sfn';

/** Stops what runs of these state machines. @returns how many executions */
export async function stopExecutions(
  client: SFNClient,
  stateMachineArns: readonly string[],
): Promise<number> {
  let stopped = 0;
  for (const stateMachineArn of stateMachineArns)
    for await (const { executions = [] } of paginateListExecutions(
      { client },
      { stateMachineArn, statusFilter: 'RUNNING' },
    ))
      for (const { executionArn } of executions) {
        await client.send(
          new StopExecutionCommand({ executionArn, cause: 'The deployment is being destroyed' }),
        );
        stopped += 1;
      }
  return stopped;
}
