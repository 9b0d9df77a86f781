import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { KMSClient, ListKeysCommand } from '@aws-sdk/client-kms';
import {
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { KmsSigningKeys } from '../../../lambdas/shared/kms-signing-keys.js';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { callAws } from '../../../local/access/signature.js';
import { Aws, sdkConfig } from '../../../local/aws.js';
import type { Place } from './places.js';

const LogGroups = z.object({ logGroups: z.array(z.object({ logGroupName: z.string() })) });

/** What the AWS services of a laptop cloud keep, read as their administrator. */
export class CloudPlaces {
  private readonly config: ReturnType<typeof sdkConfig>;

  constructor(private readonly access: EmulatorAccess) {
    this.config = sdkConfig(access);
  }

  async items(tableName: string): Promise<readonly Record<string, unknown>[]> {
    using aws = new Aws(this.access);
    const client = DynamoDBDocumentClient.from(aws.dynamo);
    const items: Record<string, unknown>[] = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName }))
      items.push(...Items);
    return items;
  }

  /** Inputs, results and every event of all executions there were. */
  async sagas(): Promise<readonly Place[]> {
    const client = new SFNClient(this.config);
    const { stateMachines = [] } = await client.send(new ListStateMachinesCommand({}));
    const places: Place[] = [];
    for (const { stateMachineArn, name } of stateMachines) {
      const { executions = [] } = await client.send(new ListExecutionsCommand({ stateMachineArn }));
      for (const { executionArn } of executions) {
        const history = await client.send(
          new GetExecutionHistoryCommand({ executionArn, includeExecutionData: true, maxResults: 1_000 }),
        );
        places.push(placeOf(`history of ${name}`, history.events));
      }
    }
    return places;
  }

  /** What functions have logged since then. */
  async functionLogs(since: Date): Promise<readonly Place[]> {
    const { logGroups } = LogGroups.parse(await this.askLogs('DescribeLogGroups', {}));
    const looked = logGroups.map(async ({ logGroupName }) => {
      const asked = { logGroupName, startTime: since.getTime() };
      return placeOf(`function log ${logGroupName}`, await this.askLogs('FilterLogEvents', asked));
    });
    return Promise.all(looked);
  }

  /** The one service of which this project has no client. */
  private async askLogs(action: string, body: object): Promise<unknown> {
    const response = await callAws(this.access, {
      service: 'logs',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `Logs_20140328.${action}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${action} was answered ${response.status}`);
    return response.json();
  }

  async queues(): Promise<readonly Place[]> {
    const client = new SQSClient(this.config);
    const { QueueUrls = [] } = await client.send(new ListQueuesCommand({}));
    const looked = QueueUrls.map(async (QueueUrl) => {
      const { Messages } = await client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
      );
      return placeOf(`queue ${QueueUrl.split('/').at(-1)}`, Messages);
    });
    return Promise.all(looked);
  }

  /** What a node gives to its owner when something is wrong. */
  async debugPackage({ nodeId, host, port }: Node, issuer: string): Promise<Place> {
    const kms = new KMSClient(this.config);
    const { Keys = [] } = await kms.send(new ListKeysCommand({}));
    const claims = { sub: 'control-plane', node: nodeId };
    for (const { KeyArn = '' } of Keys) {
      const keys = new KmsSigningKeys(kms, [KeyArn], issuer);
      // Other keys of the deployment do not sign.
      const issued = await issueToken(keys, 'management', { claims, now: new Date() }).catch(() => null);
      const archive = issued && (await get(`https://${host}:${port}/debug-package`, issued.token));
      if (archive) return { name: 'debug package', content: gunzipSync(archive) };
    }
    throw new Error('No key opens the debug package');
  }
}

export const placeOf = (name: string, content: unknown): Place => ({
  name,
  content: Buffer.from(JSON.stringify(content ?? null)),
});

/** Null when the token is refused. The node's certificate is its own. */
async function get(url: string, token: string): Promise<Buffer | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>();
  const headers = { authorization: `Bearer ${token}` };
  request(url, { headers, agent: new Agent({ rejectUnauthorized: false }) }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(response.statusCode === 200 ? Buffer.concat(chunks) : null));
    response.on('error', reject);
  })
    .on('error', reject)
    .end();
  return promise;
}
