import { Aws, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CorsRule,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

interface PrivateBucketProps {
  readonly retain: boolean;
  readonly versioned: boolean;
  readonly lifecycleRules: LifecycleRule[];
  readonly cors?: CorsRule[];
}

/** A bucket nobody outside reads, encrypted, TLS only. */
export class PrivateBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: PrivateBucketProps) {
    super(scope, id);
    const { retain, ...kept } = props;
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      ...kept,
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Access logs would be a second bucket to keep and pay for; object access is in CloudTrail if wanted.',
    });
  }

  /**
   * Lets the distributions of this account read. A distribution cannot be named here: it lives in a
   * stack that depends on this bucket's.
   */
  serveThroughCloudFront(): void {
    this.bucket.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        actions: ['s3:GetObject'],
        resources: [this.bucket.arnForObjects('*')],
        conditions: { StringEquals: { 'AWS:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
  }

  /**
   * Every object below `prefix`, as a policy's resource. The export has a name already, so nag's
   * reason fits it.
   */
  objectsBelow(prefix: string): string {
    return `${Stack.of(this).exportValue(this.bucket.bucketArn)}/${prefix}/*`;
  }

  /** What people and nodes upload: what may be done below which prefix. */
  grantUploads(
    to: ServiceFunction,
    prefixes: Partial<Record<'s3:PutObject' | 's3:GetObject' | 's3:DeleteObject', string>>,
  ): void {
    for (const [action, prefix] of Object.entries(prefixes))
      to.allowPattern({
        actions: [action],
        resources: [this.objectsBelow(prefix)],
        because: 'Each upload is a new object; its name is not known at deployment.',
      });
    const read = prefixes['s3:GetObject'];
    if (read !== undefined) {
      to.allowPattern({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': `${read}/*` } },
        because: 'The resource is one bucket; without ListBucket a missing upload looks forbidden.',
      });
    }
    to.setEnvironment({ UPLOADS_BUCKET: this.bucket.bucketName });
  }

  /** Grants reads below `prefix`. Without ListBucket a missing key looks like a forbidden one. */
  grantRead(to: ServiceFunction, prefix: string): void {
    to.allowPattern({
      actions: ['s3:GetObject'],
      resources: [this.objectsBelow(prefix)],
      because: 'Releases are uploaded after the deployment; the grant covers their prefix only.',
    });
    to.allowPattern({
      actions: ['s3:ListBucket'],
      resources: [this.bucket.bucketArn],
      conditions: { StringLike: { 's3:prefix': `${prefix}/*` } },
      because: 'The resource is one bucket; the condition restricts the prefix.',
    });
  }
}
