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
  streamBatchSize,
  streamMaxRecordAge,
  streamRetries,
  streamTimeout,
} from '../limits.js';
import { type AlarmSettings, alarm } from './alarm.js';
import { ServiceFunction } from './service-function.js';

interface TableStreamProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
  readonly alarms: AlarmSettings;
}

/**
 * Changes that are sent to live sockets or close one, and those that inboxes follow. The filter
 * keeps all other writes from invoking the function.
 */
const pushedChanges = [
  {
    dynamodb: {
      NewImage: { entity: { S: ['workspace', 'chat', 'interaction', 'task', 'snapshot', 'inbox-item'] } },
    },
  },
  // That somebody delivers it now is still that it waits, to those who watch.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: { entity: { S: ['prompt'] }, deliveryState: { S: [{ 'anything-but': ['delivering'] }] } },
    },
  },
  // The person's next message takes the one that failed from the inbox.
  {
    eventName: ['INSERT'],
    dynamodb: { NewImage: { entity: { S: ['prompt'] }, senderType: { S: ['human'] } } },
  },
  { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['message', 'boot-log'] } } } },
  // Figures that change the level of a credential.
  {
    dynamodb: {
      NewImage: {
        entity: { S: ['credential-usage'] },
        movedFrom: { S: ['ok', 'warning', 'critical', 'rejected'] },
      },
    },
  },
  {
    eventName: ['REMOVE'],
    dynamodb: { OldImage: { entity: { S: ['session', 'task', 'snapshot', 'inbox-item'] } } },
  },
  { dynamodb: { OldImage: { entity: { S: ['member'] } } } },
  // Rare: of requests only a sign-in, a new project and an end of rights change a user.
  { eventName: ['MODIFY'], dynamodb: { OldImage: { entity: { S: ['user'] } } } },
];

/**
 * Only these changes end a wait or the agent sessions of a workspace, or are events to match. No
 * other invokes it.
 */
const endings = [
  { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['task-wait', 'project-event'] } } } },
  {
    dynamodb: { NewImage: { entity: { S: ['task'] }, status: { S: ['completed', 'failed', 'cancelled'] } } },
  },
  { eventName: ['REMOVE'], dynamodb: { OldImage: { entity: { S: ['task'] } } } },
  {
    eventName: ['MODIFY'],
    dynamodb: { NewImage: { entity: { S: ['event-subscription'] }, parentPk: { S: ['DUEEVENTWAKES'] } } },
  },
  // What became of the prompt of an event wake.
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: {
        entity: { S: ['prompt'] },
        sourceKind: { S: ['project_event_wake'] },
        deliveryState: { S: [{ 'anything-but': ['queued', 'delivering', 'retry_wait'] }] },
      },
    },
  },
  {
    eventName: ['MODIFY'],
    dynamodb: {
      NewImage: {
        entity: { S: ['workspace'] },
        status: { S: ['stopping', 'stopped', 'errored', 'deleted', 'pending'] },
      },
    },
  },
];

/**
 * What happens because the table has changed: messages on the live socket, and agents that are
 * woken.
 */
export class TableStream extends Construct {
  constructor(scope: Construct, id: string, props: TableStreamProps) {
    super(scope, id);
    this.addLive(props);
    this.addEndings(props);
  }

  private addLive(props: TableStreamProps): void {
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
    give(granted, consumer, ['table:write', 'live:push', 'saga:end-session', 'saga:end-membership']);
    granted.data.table.grantStream(consumer);
    this.connect(consumer, props);
    alarm(this, props.alarms, {
      id: 'Stream',
      summary: 'Live updates are more than a minute late',
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
      reason: 'This queue is itself a dead-letter queue.',
    });
    consumer.allow(['sqs:SendMessage'], undelivered.queueArn);
    this.map(granted, consumer, {
      id: 'Mapping',
      filters: pushedChanges,
      destinationConfig: { onFailure: { destination: undelivered.queueArn } },
    });
    alarm(this, alarms, {
      id: 'Undelivered',
      summary: 'Table changes could not be sent to live sockets',
      runbook: 'dead-letters',
      metric: undelivered.metricApproximateNumberOfMessagesVisible(),
      threshold: 1,
    });
  }

  /** A record that fails every retry is dropped: the sweeps find its wait, workspace or event. */
  private addEndings({ granted, environment, code, logGroup }: TableStreamProps): void {
    const name = 'streams/follow-endings';
    const bundle = code(name);
    if (!bundle) return;
    const consumer = new ServiceFunction(this, 'FollowEndings', {
      name,
      code: bundle,
      timeout: streamTimeout,
      logGroup,
      environment,
    });
    give(granted, consumer, ['table:write', 'prompts:wake-up', 'saga:end-run']);
    granted.data.table.grantStream(consumer);
    this.map(granted, consumer, {
      id: 'FollowEndingsMapping',
      filters: endings,
    });
  }

  private map(granted: Granted, consumer: ServiceFunction, { id, filters, ...more }: Mapping): void {
    const streamArn = granted.data.table.table.tableStreamArn;
    if (!streamArn) throw new Error('The table has no stream');
    const mapping = new CfnEventSourceMapping(this, id, {
      eventSourceArn: streamArn,
      functionName: consumer.lambda.functionArn,
      startingPosition: 'LATEST',
      batchSize: streamBatchSize,
      maximumRetryAttempts: streamRetries,
      maximumRecordAgeInSeconds: streamMaxRecordAge.toSeconds(),
      bisectBatchOnFunctionError: true,
      functionResponseTypes: ['ReportBatchItemFailures'],
      filterCriteria: { filters: filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })) },
      ...more,
    });
    // The service checks the role's rights when the mapping is made.
    mapping.node.addDependency(consumer);
  }
}

interface Mapping extends Pick<CfnEventSourceMappingProps, 'destinationConfig'> {
  readonly id: string;
  readonly filters: readonly object[];
}
