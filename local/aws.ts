import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export const region = 'us-east-1';

/** Any credentials do on the emulator; real ones must never be sent there. */
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

export class Aws implements Disposable {
  readonly s3: S3Client;
  readonly dynamo: DynamoDBClient;
  readonly secrets: SecretsManagerClient;

  constructor(readonly endpoint: string) {
    const config = { endpoint, region, credentials };
    this.s3 = new S3Client({ ...config, forcePathStyle: true });
    this.dynamo = new DynamoDBClient(config);
    this.secrets = new SecretsManagerClient(config);
  }

  [Symbol.dispose](): void {
    for (const client of [this.s3, this.dynamo, this.secrets]) client.destroy();
  }
}

/**
 * Environment for a tool that talks to the emulator, with none of the person's own AWS settings.
 */
export function awsEnv(endpoint: string, path: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'),
  );
  return {
    ...Object.fromEntries(own),
    PATH: path,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
