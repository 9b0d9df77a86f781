import {
  DescribeInstancesCommand,
  EC2Client,
  TerminateInstancesCommand,
  waitUntilInstanceTerminated,
} from '@aws-sdk/client-ec2';
import { DeleteParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { deploymentContext } from '../deployment-context.js';

/**
 * Ends every node of a deployment, and every instance that waits to be one, by its tag, and waits
 * until EC2 says that they are gone. Without the image's parameter the sweep launches no others.
 */
const { deploymentId, nodeImageParameter } = deploymentContext(process.argv.slice(2));
const ec2 = new EC2Client({});
await new SSMClient({})
  .send(new DeleteParameterCommand({ Name: nodeImageParameter }))
  .catch((error: unknown) => {
    if (!(error instanceof ParameterNotFound)) throw error;
  });
const ids = await listNodes();

if (ids.length === 0) {
  console.log(`The deployment ${deploymentId} has no nodes.`);
} else {
  console.log(`Terminating ${ids.length} nodes of ${deploymentId}: ${ids.join(', ')}`);
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
  await waitUntilInstanceTerminated({ client: ec2, maxWaitTime: 600 }, { InstanceIds: ids });
  console.log('They are gone.');
}

async function listNodes(): Promise<string[]> {
  const found: string[] = [];
  let token: string | undefined;
  do {
    const page = await ec2.send(
      new DescribeInstancesCommand({
        Filters: [
          { Name: 'tag:berth:stack', Values: [deploymentId] },
          { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
        ],
        ...(token ? { NextToken: token } : {}),
      }),
    );
    const instances = (page.Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
    found.push(...instances.flatMap(({ InstanceId }) => (InstanceId ? [InstanceId] : [])));
    token = page.NextToken;
  } while (token);
  return found;
}
