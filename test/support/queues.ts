import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

/** Real queues whose URLs are in the environment, as the grant `prompts:wake-up` sets them. */
export class TestWakeUpQueues {
  private readonly client = new SQSClient({});

  private constructor(
    private readonly urls: { readonly WAKE_UP_QUEUE_URL: string; readonly DELAYED_WAKE_UP_QUEUE_URL: string },
  ) {}

  static async create(): Promise<TestWakeUpQueues> {
    const client = new SQSClient({});
    const name = `berth-${randomUUID()}`;
    const { QueueUrl: WAKE_UP_QUEUE_URL = '' } = await client.send(
      new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }),
    );
    const { QueueUrl: DELAYED_WAKE_UP_QUEUE_URL = '' } = await client.send(
      new CreateQueueCommand({ QueueName: name }),
    );
    const urls = { WAKE_UP_QUEUE_URL, DELAYED_WAKE_UP_QUEUE_URL };
    Object.assign(process.env, urls);
    return new TestWakeUpQueues(urls);
  }

  /** Receives and deletes the messages that are due now. */
  async receive(queue: 'WAKE_UP_QUEUE_URL' | 'DELAYED_WAKE_UP_QUEUE_URL'): Promise<readonly unknown[]> {
    const QueueUrl = this.urls[queue];
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    for (const { ReceiptHandle } of Messages)
      await this.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.map(({ Body = '' }) => JSON.parse(Body));
  }
}
