import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionCode } from '../function-code.js';
import { type Granted, give } from '../grants.js';
import { maxPushWorkers, pushTimeout } from '../limits.js';
import type { AlarmSettings } from './alarm.js';
import { QueueWithDeadLetters } from './queue-with-dead-letters.js';
import { ServiceFunction } from './service-function.js';

interface PushWorkerProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
  readonly alarms: AlarmSettings;
}

/** Sends push messages from a queue, so that a slow push service holds up nothing else. */
export class PushWorker extends Construct {
  private readonly pushes: QueueWithDeadLetters;

  constructor(scope: Construct, id: string, props: PushWorkerProps) {
    super(scope, id);
    this.pushes = new QueueWithDeadLetters(this, 'Pushes', { fifo: false, alarms: props.alarms });
    const name = 'queues/send-pushes';
    const code = props.code(name);
    if (!code) return;
    const { granted, environment, logGroup } = props;
    const worker = new ServiceFunction(this, 'Send', {
      name,
      code,
      timeout: pushTimeout,
      logGroup,
      environment,
      isLoop: true,
    });
    give(granted, worker, ['table:write', 'push:key']);
    this.grantSend(worker);
    this.consumeBy(worker);
  }

  grantSend(to: ServiceFunction): void {
    const { queueArn, queueUrl } = this.pushes.queue;
    to.allow(['sqs:SendMessage'], queueArn);
    to.setEnvironment({ PUSH_QUEUE_URL: queueUrl });
  }

  private consumeBy(worker: ServiceFunction): void {
    const { queueArn } = this.pushes.queue;
    worker.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queueArn);
    const mapping = new CfnEventSourceMapping(worker, 'FromPushes', {
      eventSourceArn: queueArn,
      functionName: worker.lambda.functionArn,
      batchSize: 1,
      functionResponseTypes: ['ReportBatchItemFailures'],
      scalingConfig: { maximumConcurrency: maxPushWorkers },
    });
    // The service checks the role's rights when the mapping is made.
    mapping.node.addDependency(worker.lambda);
  }
}
