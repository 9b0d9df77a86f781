import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { AlarmSettings } from './alarm.js';
import { QueueWithDeadLetters } from './queue-with-dead-letters.js';
import type { ServiceFunction } from './service-function.js';

/**
 * Wake-ups for the prompt worker: a FIFO queue that keeps those of one chat in order, and a plain
 * queue for delayed ones, because a FIFO queue cannot delay single messages.
 */
export class WakeUpQueues extends Construct {
  readonly queues: readonly [QueueWithDeadLetters, QueueWithDeadLetters];

  constructor(scope: Construct, id: string, { alarms }: { readonly alarms: AlarmSettings }) {
    super(scope, id);
    this.queues = [
      new QueueWithDeadLetters(this, 'WakeUps', { fifo: true, alarms }),
      new QueueWithDeadLetters(this, 'DelayedWakeUps', { fifo: false, alarms }),
    ];
  }

  grantSend(to: ServiceFunction): void {
    const [wakeUps, delayed] = this.queues;
    to.allow(['sqs:SendMessage'], wakeUps.queue.queueArn, delayed.queue.queueArn);
    to.setEnvironment({
      WAKE_UP_QUEUE_URL: wakeUps.queue.queueUrl,
      DELAYED_WAKE_UP_QUEUE_URL: delayed.queue.queueUrl,
    });
  }

  /**
   * One wake-up per invocation: an attempt may wait for its node for most of the function timeout.
   */
  consumeBy(consumer: ServiceFunction): void {
    for (const { queue } of this.queues) {
      consumer.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queue.queueArn);
      const mapping = new CfnEventSourceMapping(consumer, `From${queue.node.scope?.node.id}`, {
        eventSourceArn: queue.queueArn,
        functionName: consumer.lambda.functionArn,
        batchSize: 1,
        functionResponseTypes: ['ReportBatchItemFailures'],
      });
      // The service checks the role's rights when the mapping is made.
      mapping.node.addDependency(consumer.lambda);
    }
  }
}
