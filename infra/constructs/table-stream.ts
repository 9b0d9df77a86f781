import { Validations } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnEventSourceMapping, type CfnEventSourceMappingProps } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionCode } from '../function-code.js';
import { type Granted, give } from '../grants.js';
import {
  deadLetterRetention,
  endRightsRetries,
  streamBatchSize,
  streamMaxRecordAge,
  streamRetries,
  streamTimeout,
} from '../limits.js';
import { endedRights, followedChanges } from '../stream-filters.js';
import { type AlarmSettings, alarm } from './alarm.js';
import type { PushWorker } from './push-worker.js';
import { ServiceFunction } from './service-function.js';

interface TableStreamProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
  readonly alarms: AlarmSettings;
  readonly pushes: PushWorker;
}

/**
 * The consumers of the table's changes. AWS advises at most two readers of a shard, and these are
 * two: ends of rights have one of their own, which nobody can keep busy; everything else shares the
 * other one.
 */
export class TableStream extends Construct {
  constructor(scope: Construct, id: string, props: TableStreamProps) {
    super(scope, id);
    this.addLive(props);
    this.addEndRights(props);
  }

  private addLive(props: TableStreamProps): void {
    const consumer = this.consumer(props, 'Live', 'streams/live');
    if (!consumer) return;
    give(props.granted, consumer, ['table:write', 'live:push', 'prompts:wake-up', 'saga:end-run']);
    props.pushes.grantSend(consumer);
    this.map(props, consumer, {
      id: 'Mapping',
      filters: followedChanges,
      deadLetters: 'Undelivered',
      summary: 'Table changes could not be sent to live sockets',
      runbook: 'dead-letters',
      maximumRetryAttempts: streamRetries,
      maximumRecordAgeInSeconds: streamMaxRecordAge.toSeconds(),
      startingPosition: 'LATEST',
    });
    this.watchAge(props, consumer, {
      id: 'Stream',
      summary: 'Live updates are more than a minute late',
      runbook: 'live-updates-are-late',
    });
  }

  private addEndRights(props: TableStreamProps): void {
    const consumer = this.consumer(props, 'EndRights', 'streams/end-rights');
    if (!consumer) return;
    give(props.granted, consumer, ['table:write', 'live:push', 'saga:end-session', 'saga:end-membership']);
    this.map(props, consumer, {
      id: 'EndRightsMapping',
      filters: endedRights,
      deadLetters: 'NotEnded',
      summary: 'Rights have ended, but sockets and sagas that depend on them may go on',
      runbook: 'a-right-stays',
      maximumRetryAttempts: endRightsRetries,
      // A right that ended does not become old.
      maximumRecordAgeInSeconds: -1,
      // Those that ended while the mapping was made, too.
      startingPosition: 'TRIM_HORIZON',
    });
    this.watchAge(props, consumer, {
      id: 'EndRights',
      summary: 'The ends of rights are enforced more than a minute late',
      runbook: 'a-right-stays',
    });
  }

  private consumer(props: TableStreamProps, id: string, name: string): ServiceFunction | undefined {
    const code = props.code(name);
    if (!code) return undefined;
    const { granted, environment, logGroup } = props;
    const consumer = new ServiceFunction(this, id, {
      name,
      code,
      timeout: streamTimeout,
      logGroup,
      environment,
    });
    granted.data.table.grantStream(consumer);
    return consumer;
  }

  private watchAge(
    { alarms }: TableStreamProps,
    consumer: ServiceFunction,
    about: Pick<Mapping, 'id' | 'summary' | 'runbook'>,
  ): void {
    alarm(this, alarms, {
      ...about,
      metric: consumer.lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM }),
      threshold: 60_000,
      periods: 2,
    });
  }

  private map({ granted, alarms }: TableStreamProps, consumer: ServiceFunction, given: Mapping): void {
    const { id, filters, deadLetters, summary, runbook, ...more } = given;
    const streamArn = granted.data.table.table.tableStreamArn;
    if (!streamArn) throw new Error('The table has no stream');
    const undelivered = this.deadLetters(deadLetters);
    consumer.allow(['sqs:SendMessage'], undelivered.queueArn);
    const mapping = new CfnEventSourceMapping(this, id, {
      eventSourceArn: streamArn,
      functionName: consumer.lambda.functionArn,
      batchSize: streamBatchSize,
      bisectBatchOnFunctionError: true,
      functionResponseTypes: ['ReportBatchItemFailures'],
      filterCriteria: { filters: filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })) },
      destinationConfig: { onFailure: { destination: undelivered.queueArn } },
      ...more,
    });
    // The service checks the role's rights when the mapping is made.
    mapping.node.addDependency(consumer);
    alarm(this, alarms, {
      ...{ id: deadLetters, summary, runbook },
      metric: undelivered.metricApproximateNumberOfMessagesVisible(),
      threshold: 1,
    });
  }

  private deadLetters(id: string): Queue {
    const undelivered = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: deadLetterRetention,
    });
    Validations.of(undelivered).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This queue is itself a dead-letter queue.',
    });
    return undelivered;
  }
}

interface Mapping
  extends Pick<
    CfnEventSourceMappingProps,
    'maximumRetryAttempts' | 'maximumRecordAgeInSeconds' | 'startingPosition'
  > {
  readonly id: string;
  readonly filters: readonly object[];
  /** Name of the queue for records that failed every retry, and of its alarm. */
  readonly deadLetters: string;
  readonly summary: string;
  readonly runbook: string;
}
