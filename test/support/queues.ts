import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

/** Queues as the grant `prompts:ring` names them, told to this process as to a function. */
export class BellQueues {
  private readonly client = new SQSClient({});

  private constructor(
    private readonly urls: { readonly PROMPTS_QUEUE_URL: string; readonly LATER_PROMPTS_QUEUE_URL: string },
  ) {}

  static async create(): Promise<BellQueues> {
    const client = new SQSClient({});
    const name = `berth-${randomUUID()}`;
    const { QueueUrl: PROMPTS_QUEUE_URL = '' } = await client.send(
      new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }),
    );
    const { QueueUrl: LATER_PROMPTS_QUEUE_URL = '' } = await client.send(
      new CreateQueueCommand({ QueueName: name }),
    );
    const urls = { PROMPTS_QUEUE_URL, LATER_PROMPTS_QUEUE_URL };
    Object.assign(process.env, urls);
    return new BellQueues(urls);
  }

  /** Bodies of what was rung and is due, each once. */
  async heard(queue: 'PROMPTS_QUEUE_URL' | 'LATER_PROMPTS_QUEUE_URL'): Promise<readonly unknown[]> {
    const QueueUrl = this.urls[queue];
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    for (const { ReceiptHandle } of Messages)
      await this.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.map(({ Body = '' }) => JSON.parse(Body));
  }
}
