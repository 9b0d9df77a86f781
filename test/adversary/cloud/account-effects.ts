import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { callAws } from '../../../local/access/signature.js';
import { Aws, sdkConfig } from '../../../local/aws.js';
import { findInstance } from '../../support/instance-files.js';
import { attackNode, mark } from './account-calls.js';

interface Deployed extends EmulatorAccess {
  readonly tableName: string;
  readonly stateDir: string;
}

/** What the calls of account-calls.ts have changed, read with the key. */
export async function effectsOf(deployed: Deployed): Promise<readonly string[]> {
  using aws = new Aws(deployed);
  const { Buckets = [] } = await aws.s3.send(new ListBucketsCommand({}));
  const { QueueUrls = [] } = await new SQSClient(sdkConfig(deployed)).send(new ListQueuesCommand({}));
  const { Table } = await aws.dynamo.send(new DescribeTableCommand({ TableName: deployed.tableName }));
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.ListRules' };
  const rules = await callAws(deployed, { service: 'events', headers, body: `{"NamePrefix":"${mark}"}` });
  const path = `/2015-03-31/functions/${mark}`;
  const lambda = await callAws(deployed, { service: 'lambda', method: 'GET', path });
  const found = {
    bucket: Buckets.some(({ Name }) => Name === mark),
    queue: QueueUrls.some((url) => url.endsWith(`/${mark}`)),
    function: lambda.status !== 404,
    rule: (await rules.text()).includes(mark),
    node: findInstance(deployed.stateDir, attackNode) !== undefined,
    'lost table': Table === undefined,
  };
  return Object.entries(found).flatMap(([name, isFound]) => (isFound ? [name] : []));
}
