import {
  DeleteMessageCommand,
  ListQueuesCommand,
  type Message,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { ulid } from 'ulid';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { sdkConfig } from '../../../local/aws.js';

/** The wake-up queues, as an operator reaches them through the AWS API. */
export class CloudWakeUps implements Disposable {
  private readonly sqs: SQSClient;

  constructor(access: EmulatorAccess) {
    this.sqs = new SQSClient(sdkConfig(access));
  }

  /** Sends a superfluous wake-up to both queues. */
  async send(chatId: string): Promise<void> {
    for (const url of await this.queues()) await this.sendTo(url, JSON.stringify({ chatId }));
  }

  /** Deletes one wake-up before the worker receives it; false when the queues are empty. */
  async lose(): Promise<boolean> {
    for (const url of await this.queues()) if ((await this.take(url, 1)).length > 0) return true;
    return false;
  }

  /**
   * Holds back all wake-ups and sends them again later in reverse order; false when there are none.
   */
  async delay(wait: () => Promise<unknown>): Promise<boolean> {
    const queues = await this.queues();
    const taken = await Promise.all(queues.map((url) => this.take(url, 10)));
    await wait();
    for (const [index, url] of queues.entries())
      for (const { Body = '' } of taken[index]?.toReversed() ?? []) await this.sendTo(url, Body);
    return taken.flat().length > 0;
  }

  [Symbol.dispose](): void {
    this.sqs.destroy();
  }

  private async take(QueueUrl: string, MaxNumberOfMessages: number): Promise<readonly Message[]> {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages });
    const { Messages = [] } = await this.sqs.send(command);
    const taken: Message[] = [];
    for (const message of Messages) if (await this.drop(QueueUrl, message)) taken.push(message);
    return taken;
  }

  /** False when its visibility timeout has passed: the worker receives it. */
  private async drop(QueueUrl: string, { ReceiptHandle }: Message): Promise<boolean> {
    try {
      await this.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      return true;
    } catch (error) {
      if (error instanceof ReceiptHandleIsInvalid) return false;
      throw error;
    }
  }

  private async sendTo(QueueUrl: string, MessageBody: string): Promise<void> {
    const group = { MessageGroupId: JSON.parse(MessageBody).chatId, MessageDeduplicationId: ulid() };
    await this.sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody, ...(QueueUrl.endsWith('.fifo') ? group : {}) }),
    );
  }

  private async queues(): Promise<readonly string[]> {
    const { QueueUrls = [] } = await this.sqs.send(new ListQueuesCommand({}));
    return QueueUrls.filter((url) => /WakeUps/.test(url) && !/DeadLetters/.test(url));
  }
}
