import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeInstancesCommand,
  EC2Client,
  RunInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, expect, it } from 'vitest';
import { stopExecutions } from '../../../scripts/cloud/running-executions.js';
import { runCloudScript } from './run-cloud-script.js';

/** The scripts of `npm run destroy`, in a folder with a cdk.json of its own. */
const own = `own-${process.pid}`;
const other = `other-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'berth-destroy-'));
writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ context: { deploymentId: own } }));
const ec2 = new EC2Client({});
const ssm = new SSMClient({});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runScript = (name: string, ...args: readonly string[]) => runCloudScript(folder, name, args);

async function launchNode(deploymentId: string): Promise<string> {
  const { Instances } = await ec2.send(
    new RunInstancesCommand({
      MinCount: 1,
      MaxCount: 1,
      ImageId: 'ami-12345678',
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'berth:stack', Value: deploymentId }] }],
    }),
  );
  return Instances?.[0]?.InstanceId ?? '';
}

async function stateOf(instanceId: string): Promise<string | undefined> {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
  return Reservations?.[0]?.Instances?.[0]?.State?.Name;
}

it('terminates the nodes of the deployment that cdk.json names, and of no other', async () => {
  const [ownNode, otherNode] = [await launchNode(own), await launchNode(other)];

  const { code, output } = await runScript('terminate-nodes.ts', '--force');

  expect([code, output]).toEqual([0, expect.stringContaining(ownNode)]);
  expect([await stateOf(ownNode), await stateOf(otherNode)]).toEqual(['terminated', 'running']);
});

it('terminates waiting instances too, and first keeps the sweep from launching others', async () => {
  const waiting = await launchNode(own);
  await ec2.send(new StopInstancesCommand({ InstanceIds: [waiting] }));
  const Name = `/${own}/ami/arm64`;
  await ssm.send(new PutParameterCommand({ Name, Value: 'ami-12345678', Type: 'String' }));

  const { code } = await runScript('terminate-nodes.ts', '--force');

  expect([code, await stateOf(waiting)]).toEqual([0, 'terminated']);
  const read = ssm.send(new GetParameterCommand({ Name }));
  await expect(read).rejects.toMatchObject({ name: 'ParameterNotFound' });
});

it('deletes the image parameter of that deployment, also with options of CDK', async () => {
  for (const name of [own, other])
    await ssm.send(
      new PutParameterCommand({ Name: `/${name}/ami/arm64`, Value: 'ami-12345678', Type: 'String' }),
    );

  const { code, output } = await runScript('remove-release.ts', '--force');

  expect([code, output]).toEqual([0, 'Images removed: 0\n']);
  const read = (name: string) => ssm.send(new GetParameterCommand({ Name: `/${name}/ami/arm64` }));
  await expect(read(own)).rejects.toMatchObject({ name: 'ParameterNotFound' });
  expect((await read(other)).Parameter?.Value).toBe('ami-12345678');
});

it('stops what runs of a state machine, and finds nothing where no stack is', async () => {
  const sfn = new SFNClient({});
  const definition = { StartAt: 'Wait', States: { Wait: { Type: 'Wait', Seconds: 600, End: true } } };
  const { stateMachineArn = '' } = await sfn.send(
    new CreateStateMachineCommand({
      name: `waits-${process.pid}`,
      roleArn: 'arn:aws:iam::000000000000:role/any',
      definition: JSON.stringify(definition),
    }),
  );
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn }));

  expect(await stopExecutions(sfn, [stateMachineArn])).toBe(1);
  expect(await stopExecutions(sfn, [stateMachineArn])).toBe(0);
  const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
  expect(status).toBe('ABORTED');
  expect(await runScript('stop-executions.ts')).toEqual({ code: 0, output: 'Executions stopped: 0\n' });
});

it('asks before the first node is terminated', async () => {
  const asked = await runScript('main.ts', 'destroy');

  expect([asked.code, asked.output]).toEqual([1, expect.stringContaining('asks for confirmation')]);
});
