import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.js';

const reads = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writes = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:ConditionCheckItem',
];

/** The one table; its keys and access patterns are in docs/table.md. */
export class StateTable extends Construct {
  readonly table: Table;
  private readonly indexArns: readonly string[];

  constructor(scope: Construct, id: string, { retain }: { retain: boolean }) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expiresAt',
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      // AWS's own key: encrypted at rest for nothing. What is secret is sealed by the application
      // besides.
      encryption: TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: retain,
      removalPolicy: retain ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const indexes = ['byOwner', 'byParent'] as const;
    for (const indexName of indexes) {
      const prefix = indexName === 'byOwner' ? 'owner' : 'parent';
      this.table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: `${prefix}Pk`, type: AttributeType.STRING },
        sortKey: { name: `${prefix}Sk`, type: AttributeType.STRING },
        projectionType: ProjectionType.ALL,
      });
    }
    // Named one by one, so that no policy needs a wildcard.
    this.indexArns = indexes.map((name) => `${this.table.tableArn}/index/${name}`);
  }

  grantRead(to: ServiceFunction): void {
    to.allow(reads, this.table.tableArn, ...this.indexArns);
  }

  grantWrite(to: ServiceFunction): void {
    this.grantRead(to);
    to.allow(writes, this.table.tableArn);
  }

  /** Grants updates of rate-limit windows, restricted by the prefix of their keys. */
  grantCount(to: ServiceFunction): void {
    to.allowPattern({
      actions: ['dynamodb:UpdateItem'],
      resources: [this.table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*'] } },
      because: 'The resource is one table; the condition restricts its partition keys.',
    });
  }

  grantStream(to: ServiceFunction): void {
    const streamArn = this.table.tableStreamArn;
    if (!streamArn) throw new Error('The table has no stream');
    to.allow(['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'], streamArn);
    to.allowPattern({
      actions: ['dynamodb:ListStreams'],
      resources: ['*'],
      because: 'ListStreams has no resource-level permissions; the stream mapping needs it.',
    });
  }
}
