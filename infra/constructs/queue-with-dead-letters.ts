import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deadLetterRetention, queueMaxReceives, queueVisibility } from '../limits.js';
import { type AlarmSettings, alarm } from './alarm.js';

interface QueueProps {
  readonly fifo: boolean;
  readonly alarms: AlarmSettings;
}

/** A queue, its dead-letter queue, and the alarm on the dead-letter queue. */
export class QueueWithDeadLetters extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { fifo, alarms }: QueueProps) {
    super(scope, id);
    const kind = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // CloudFormation takes `true` or nothing.
      ...(fifo ? { fifo } : {}),
    };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...kind, retentionPeriod: deadLetterRetention });
    this.queue = new Queue(this, 'Queue', {
      ...kind,
      visibilityTimeout: queueVisibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: queueMaxReceives },
    });
    alarm(this, alarms, {
      id: 'Undelivered',
      summary: `Messages of ${id} could not be processed`,
      runbook: 'dead-letters',
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible(),
      threshold: 1,
    });
  }
}
