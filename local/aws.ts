import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { EmulatorAccess } from './access/keys.js';
import { region } from './region.js';

/** The configuration of a client of the SDK. */
export function sdkConfig({ endpoint, keys: { accessKeyId, secretAccessKey } }: EmulatorAccess) {
  return { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
}

export class Aws implements Disposable {
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly secrets: SecretsManagerClient;

  readonly endpoint: string;

  constructor(access: EmulatorAccess) {
    this.endpoint = access.endpoint;
    const config = sdkConfig(access);
    this.s3 = new S3Client({ ...config, forcePathStyle: true });
    this.dynamo = new DynamoDBClient(config);
    this.secrets = new SecretsManagerClient(config);
  }

  [Symbol.dispose](): void {
    for (const client of [this.s3, this.dynamo, this.secrets]) client.destroy();
  }
}

/**
 * Environment for a tool that talks to the emulator, with none of the person's own AWS settings:
 * real credentials are never sent there.
 */
export function awsEnv({ endpoint, keys }: EmulatorAccess, path: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'),
  );
  return {
    ...Object.fromEntries(own),
    PATH: path,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
