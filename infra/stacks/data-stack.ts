import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { type CorsRule, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { ParameterTier, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { CodeHostApp } from '../constructs/code-host-app.js';
import { DataKey } from '../constructs/data-key.js';
import { OriginSecret } from '../constructs/origin-secret.js';
import { PrivateBucket } from '../constructs/private-bucket.js';
import { PushSecret } from '../constructs/push-secret.js';
import { SigningKeys } from '../constructs/signing-keys.js';
import { StateTable } from '../constructs/state-table.js';
import { WakeUpQueues } from '../constructs/wake-up-queues.js';
import { type Settings, settingsParameter } from '../settings.js';

const abandonedUploads = { abortIncompleteMultipartUploadAfter: Duration.days(1) };

/** Pages upload attachments and read long messages directly. The signed URL is the authority. */
const signedRequests: CorsRule = {
  allowedMethods: [HttpMethods.GET, HttpMethods.PUT],
  allowedOrigins: ['*'],
  allowedHeaders: ['content-type'],
  maxAge: 3_600,
};

/** What must not be lost. Everything else can be deployed again from the repository. */
export class DataStack extends Stack {
  readonly table: StateTable;
  readonly signingKeys: SigningKeys;
  readonly dataKey: DataKey;
  readonly codeHost: CodeHostApp;
  readonly originSecret: OriginSecret;
  readonly pushSecret: PushSecret;
  readonly artifacts: PrivateBucket;
  readonly snapshots: PrivateBucket;
  readonly console: PrivateBucket;
  /** In this stack because sagas, routes and the live stack all send wake-ups. */
  readonly wakeUpQueues: WakeUpQueues;

  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { settings: Settings }) {
    super(scope, id, props);
    const retain = settings.retainData;

    this.table = new StateTable(this, 'State', { retain });
    this.signingKeys = new SigningKeys(this, 'SigningKeys', {
      generations: settings.signingKeyGenerations,
      retain,
    });
    this.dataKey = new DataKey(this, 'DataKey', { retain });
    this.codeHost = new CodeHostApp(this, 'CodeHost', settings);
    this.originSecret = new OriginSecret(this, 'OriginSecret', {
      deploymentId: settings.deploymentId,
      generations: settings.originSecretGenerations,
    });
    this.pushSecret = new PushSecret(this, 'PushSecret', { retain });
    this.artifacts = new PrivateBucket(this, 'Artifacts', {
      retain,
      versioned: true,
      lifecycleRules: [abandonedUploads, { noncurrentVersionExpiration: Duration.days(90) }],
    });
    this.artifacts.serveThroughCloudFront();
    this.snapshots = new PrivateBucket(this, 'Snapshots', {
      retain,
      versioned: false,
      lifecycleRules: [
        abandonedUploads,
        { prefix: 'debug/', expiration: Duration.days(30) },
        // A task may wait for hours before it reads them, and be run again the day after.
        { prefix: 'attachments/', expiration: Duration.days(7) },
        // Second to the sweep, after a sleep of seven days on a recovery point of seven days.
        { prefix: 'snapshots/', expiration: Duration.days(16) },
        // As long as the rows of the chunks, whose time begins with the upload too.
        { prefix: 'resource-history/', expiration: Duration.days(90) },
        // Kept is a copy of it, which has no end but its chat's.
        { prefix: 'message-uploads/', expiration: Duration.days(1) },
      ],
      cors: [signedRequests],
    });
    this.console = new PrivateBucket(this, 'Console', {
      retain,
      versioned: false,
      lifecycleRules: [abandonedUploads],
    });
    this.console.serveThroughCloudFront();
    this.wakeUpQueues = new WakeUpQueues(this, 'WakeUpQueues', { alarms: settings });
    new StringParameter(this, 'Settings', {
      parameterName: settingsParameter(settings.deploymentId),
      description: 'Berth: the settings of the last deployment, which the next one is compared with',
      stringValue: JSON.stringify(settings.given),
      tier: ParameterTier.INTELLIGENT_TIERING,
    });
    this.createTableLast();
    this.addOutputs(settings);
  }

  private addOutputs(settings: Settings): void {
    new CfnOutput(this, 'TableName', { value: this.table.table.tableName });
    new CfnOutput(this, 'ArtifactsBucket', { value: this.artifacts.bucket.bucketName });
    new CfnOutput(this, 'SnapshotsBucket', { value: this.snapshots.bucket.bucketName });
    new CfnOutput(this, 'ConsoleBucket', { value: this.console.bucket.bucketName });
    new CfnOutput(this, 'SigningKeyArns', { value: this.signingKeys.publishedArns });
    // `npm run deploy` compares them with the generations that it is asked to use.
    new CfnOutput(this, 'SigningKeyGenerations', { value: settings.signingKeyGenerations.join(',') });
    new CfnOutput(this, 'OriginSecretGenerations', { value: settings.originSecretGenerations.join(',') });
    new CfnOutput(this, 'OriginSecretName', { value: this.originSecret.sentName });
    new CfnOutput(this, 'CodeHostSecretArn', { value: this.codeHost.secretArn });
    new CfnOutput(this, 'CodeHostWebhookSecretArn', { value: this.codeHost.webhookSecretArn });
  }

  /** Its deletion protection would stop the rollback of a first deployment that fails after it. */
  private createTableLast(): void {
    const { signingKeys, dataKey, codeHost, originSecret, artifacts, snapshots, wakeUpQueues } = this;
    const others = [signingKeys, dataKey, codeHost, originSecret, artifacts, snapshots, wakeUpQueues];
    this.table.node.addDependency(...others, this.pushSecret, this.console);
  }
}
