import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

/** The outputs of a deployed stack, by name. @throws for one that is not there */
export async function stackOutputs(stackName: string): Promise<(name: string) => string> {
  const { Stacks } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: stackName }),
  );
  const outputs = new Map((Stacks?.[0]?.Outputs ?? []).map((one) => [one.OutputKey, one.OutputValue]));
  return (name) => {
    const value = outputs.get(name);
    if (!value) throw new Error(`The stack ${stackName} has no output ${name}`);
    return value;
  };
}
