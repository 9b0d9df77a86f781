import { Validations } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionCode } from '../function-code.js';
import { type Granted, give } from '../grants.js';
import {
  deadLetterRetention,
  streamBatchSize,
  streamMaxRecordAge,
  streamRetries,
  streamTimeout,
} from '../limits.js';
import { type AlarmSettings, alarm } from './alarm.js';
import { ServiceFunction } from './service-function.js';

export interface TableStreamProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
  readonly alarms: AlarmSettings;
}

/** Turns changes of the table into messages on the live socket. */
export class TableStream extends Construct {
  constructor(scope: Construct, id: string, props: TableStreamProps) {
    super(scope, id);
    const name = 'streams/live';
    const code = props.code(name);
    if (!code) return;
    const { granted, environment, logGroup } = props;
    const consumer = new ServiceFunction(this, 'Live', {
      name,
      code,
      timeout: streamTimeout,
      logGroup,
      environment,
    });
    give(granted, consumer, ['table:write', 'live:push', 'saga:end-session']);
    granted.data.table.grantStream(consumer);
    this.connect(consumer, props);
    alarm(this, props.alarms, {
      id: 'Stream',
      says: 'Live updates are more than a minute late',
      runbook: 'live-updates-are-late',
      metric: consumer.lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM }),
      threshold: 60_000,
      periods: 2,
    });
  }

  private connect(consumer: ServiceFunction, { granted, alarms }: TableStreamProps): void {
    const undelivered = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: deadLetterRetention,
    });
    Validations.of(undelivered).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is itself where records go that could not be handled.',
    });
    consumer.allow(['sqs:SendMessage'], undelivered.queueArn);
    const streamArn = granted.data.table.table.tableStreamArn;
    if (!streamArn) throw new Error('The table has no stream');
    const mapping = new CfnEventSourceMapping(this, 'Mapping', {
      eventSourceArn: streamArn,
      functionName: consumer.lambda.functionArn,
      startingPosition: 'LATEST',
      batchSize: streamBatchSize,
      maximumRetryAttempts: streamRetries,
      maximumRecordAgeInSeconds: streamMaxRecordAge.toSeconds(),
      bisectBatchOnFunctionError: true,
      functionResponseTypes: ['ReportBatchItemFailures'],
      destinationConfig: { onFailure: { destination: undelivered.queueArn } },
    });
    // The service checks the role's rights when the mapping is made.
    mapping.node.addDependency(consumer);
    alarm(this, alarms, {
      id: 'Undelivered',
      says: 'Changes of the table could not be told to live sockets',
      runbook: 'dead-letters',
      metric: undelivered.metricApproximateNumberOfMessagesVisible(),
      threshold: 1,
    });
  }
}
