import {
  CloudFormationClient,
  paginateDescribeStacks,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, GetPublicKeyCommand, KMSClient, paginateListKeys } from '@aws-sdk/client-kms';
import {
  GetSecretValueCommand,
  paginateListSecrets,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { DescribeStateMachineCommand, paginateListStateMachines, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { functionFiles } from '../../infra/function-files.js';
import type { EmulatorAccess } from '../../local/access/keys.js';
import { sdkConfig } from '../../local/aws.js';
import { Functions } from '../../local/deployment/functions.js';
import type { LaptopPorts } from '../../local/laptop-ports.js';

/**
 * What is deployed on an emulator: every resource of every stack, and the configuration of
 * functions, tables, queues, state machines and keys. Ports and the values of secrets are replaced
 * by names, so that deployments can be compared; the values are apart.
 */
export async function describeDeployment(access: EmulatorAccess, ports: LaptopPorts) {
  const config = sdkConfig(access);
  const secrets = await secretsOf(new SecretsManagerClient(config));
  const { publicKeys, keys } = await keysOf(new KMSClient(config));
  const described = {
    resources: await resourcesOf(new CloudFormationClient(config)),
    functions: await functionsOf(access),
    tables: await tablesOf(new DynamoDBClient(config)),
    queues: await queuesOf(new SQSClient(config)),
    stateMachines: await stateMachinesOf(new SFNClient(config)),
    keys,
  };
  return { ...named(described, ports, Object.values(secrets)), secrets, publicKeys };
}

/** Names in place of the ports of this machine and of secrets, and no dates. */
function named<Described>(described: Described, ports: LaptopPorts, secrets: readonly string[]): Described {
  let text = JSON.stringify(described, (name, value) =>
    /Date|Time$|\$metadata|Modified/.test(name) ? undefined : value,
  );
  for (const [name, port] of Object.entries(ports)) text = text.replaceAll(`:${port}`, `:<${name}>`);
  for (const secret of secrets.flatMap((value) => value.match(/[A-Za-z0-9]{32,}/g) ?? []))
    text = text.replaceAll(secret, '<secret>');
  return JSON.parse(text);
}

async function functionsOf(access: EmulatorAccess) {
  const functions = new Functions(access);
  const found = functionFiles.map(async (name) => [name, await functions.configuration(name)] as const);
  return Object.fromEntries(await Promise.all(found));
}

async function resourcesOf(client: CloudFormationClient): Promise<readonly string[]> {
  const resources: string[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    for (const { StackName, Outputs = [] } of Stacks) {
      resources.push(
        ...Outputs.map(({ OutputKey, OutputValue }) => `${StackName} ${OutputKey} ${OutputValue}`),
      );
      for await (const page of paginateListStackResources({ client }, { StackName }))
        for (const { LogicalResourceId, ResourceType, PhysicalResourceId } of page.StackResourceSummaries ??
          [])
          resources.push(`${StackName} ${LogicalResourceId} ${ResourceType} ${PhysicalResourceId}`);
    }
  return resources.toSorted();
}

async function tablesOf(client: DynamoDBClient) {
  const tables: unknown[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {}))
    for (const TableName of TableNames)
      tables.push((await client.send(new DescribeTableCommand({ TableName }))).Table);
  return tables;
}

async function queuesOf(client: SQSClient) {
  const queues: unknown[] = [];
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, {}))
    for (const QueueUrl of QueueUrls) {
      const {
        Attributes: { CreatedTimestamp: _created, LastModifiedTimestamp: _modified, ...attributes } = {},
      } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
      queues.push({ QueueUrl, attributes });
    }
  return queues;
}

async function stateMachinesOf(client: SFNClient) {
  const machines: unknown[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, {}))
    for (const { stateMachineArn } of stateMachines) {
      const {
        $metadata: _,
        creationDate: _created,
        ...machine
      } = await client.send(new DescribeStateMachineCommand({ stateMachineArn }));
      machines.push(machine);
    }
  return machines;
}

async function keysOf(client: KMSClient) {
  const keys: unknown[] = [];
  const publicKeys: Record<string, string> = {};
  for await (const { Keys = [] } of paginateListKeys({ client }, {}))
    for (const { KeyId = '' } of Keys) {
      const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
      const { CurrentKeyMaterialId: _material, ...metadata } = KeyMetadata ?? {};
      keys.push(metadata);
      if (KeyMetadata?.KeyUsage !== 'SIGN_VERIFY') continue;
      const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId }));
      publicKeys[KeyId] = Buffer.from(PublicKey).toString('base64');
    }
  return { keys, publicKeys };
}

/** The secrets that the deployment generated: those of a person's own are empty as yet. */
async function secretsOf(client: SecretsManagerClient): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  for await (const { SecretList = [] } of paginateListSecrets({ client }, {}))
    for (const { Name = '' } of SecretList) {
      const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: Name }));
      if (/[A-Za-z0-9]{32}/.test(SecretString)) secrets[Name] = SecretString;
    }
  return secrets;
}
