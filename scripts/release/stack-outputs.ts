import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

/** CloudFormation has no error name of its own for a missing stack. */
export const isMissingStack = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('does not exist');

/** The outputs of a stack, by name; empty before its first deployment. */
export async function deployedOutputs(stackName: string): Promise<ReadonlyMap<string, string>> {
  const answer = await new CloudFormationClient({})
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: unknown) => {
      if (isMissingStack(error)) return undefined;
      throw error;
    });
  const outputs = answer?.Stacks?.[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

/** The outputs of a deployed stack, by name. @throws for one that is not there */
export async function stackOutputs(stackName: string): Promise<(name: string) => string> {
  const outputs = await deployedOutputs(stackName);
  return (name) => {
    const value = outputs.get(name);
    if (!value) throw new Error(`The stack ${stackName} has no output ${name}`);
    return value;
  };
}
