import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { SFNClient } from '@aws-sdk/client-sfn';
import { deploymentContext } from '../deployment-context.js';
import { isMissingStack } from '../release/stack-outputs.js';
import { stopExecutions } from './running-executions.js';

/** Part of `npm run destroy`: no saga works on while what it works with is deleted. */
const { deploymentId } = deploymentContext(process.argv.slice(2));
const arns = await stateMachines(`${deploymentId}-sagas`).catch((error: unknown) => {
  if (isMissingStack(error)) return [];
  throw error;
});
const stopped = await stopExecutions(new SFNClient({}), arns);
console.log(`Executions stopped: ${stopped}`);

async function stateMachines(StackName: string): Promise<readonly string[]> {
  const arns: string[] = [];
  for await (const page of paginateListStackResources(
    { client: new CloudFormationClient({}) },
    { StackName },
  ))
    for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
      if (ResourceType === 'AWS::StepFunctions::StateMachine') arns.push(PhysicalResourceId ?? '');
  return arns;
}
