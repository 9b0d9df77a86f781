import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { sdkConfig } from '../../../local/aws.js';
import { createFunction, post } from '../../integration/local/small-function.js';
import { soon } from '../soon.js';

/**
 * A FIFO queue of the emulator and a function that only says when it was called: what no product of
 * ours could be faster than.
 */
export class BareQueue implements Disposable {
  private sent = 0;

  private constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
    private readonly folder: string,
  ) {}

  static async make(access: EmulatorAccess): Promise<BareQueue> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-bench-queue-'));
    const log = logIn(folder);
    appendFileSync(log, '');
    await createFunction(
      access,
      `import { appendFileSync } from 'node:fs';
       export const handler = async ({ Records }) => {
         const at = Date.now();
         for (const { body } of Records) appendFileSync(${JSON.stringify(log)}, body + ' ' + at + '\\n');
       };`,
    );
    const client = new SQSClient(sdkConfig(access));
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({ QueueName: 'bare.fifo', Attributes: { FifoQueue: 'true' } }),
    );
    const { status, text } = await post(access, '/2015-03-31/event-source-mappings', {
      FunctionName: 'small',
      EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:bare.fifo',
      BatchSize: 1,
    });
    if (status >= 300) throw new Error(`The queue was not connected: ${status} ${text}`);
    return new BareQueue(client, QueueUrl, folder);
  }

  /** Milliseconds from the answer to the sending of a message until its function runs. */
  async delay(): Promise<number> {
    this.sent += 1;
    const MessageBody = `message-${this.sent}`;
    await this.client.send(
      new SendMessageCommand({
        QueueUrl: this.queueUrl,
        MessageBody,
        MessageGroupId: 'one',
        MessageDeduplicationId: MessageBody,
      }),
    );
    const sentAt = Date.now();
    const line = new RegExp(`^${MessageBody} (\\d+)$`, 'm');
    return soon(`the function has ${MessageBody}`, () => {
      const at = line.exec(readFileSync(logIn(this.folder), 'utf8'))?.[1];
      return at === undefined ? undefined : Number(at) - sentAt;
    });
  }

  [Symbol.dispose](): void {
    this.client.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const logIn = (folder: string) => join(folder, 'calls.log');
