import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { AlarmSettings } from './alarm.js';
import { QueueWithDeadLetters } from './queue-with-dead-letters.js';
import type { ServiceFunction } from './service-function.js';

/**
 * The bells of prompts: one queue in which those of one chat follow each other, and one without order for those that are
 * to ring later, which a FIFO queue cannot delay one by one.
 */
export class PromptBells extends Construct {
  readonly queues: readonly [QueueWithDeadLetters, QueueWithDeadLetters];

  constructor(scope: Construct, id: string, { alarms }: { readonly alarms: AlarmSettings }) {
    super(scope, id);
    this.queues = [
      new QueueWithDeadLetters(this, 'Prompts', { fifo: true, alarms }),
      new QueueWithDeadLetters(this, 'LaterPrompts', { fifo: false, alarms }),
    ];
  }

  grantRing(to: ServiceFunction): void {
    const [prompts, later] = this.queues;
    to.allow(['sqs:SendMessage'], prompts.queue.queueArn, later.queue.queueArn);
    to.setEnvironment({
      PROMPTS_QUEUE_URL: prompts.queue.queueUrl,
      LATER_PROMPTS_QUEUE_URL: later.queue.queueUrl,
    });
  }

  /** One bell an invocation: an attempt may wait for its node for most of the function's time. */
  answerBy(consumer: ServiceFunction): void {
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
