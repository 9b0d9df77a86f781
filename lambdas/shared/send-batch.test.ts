import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { sendBatch } from './send-batch.js';

/** A queue that refuses the entries of these calls; no emulator refuses single entries. */
function queueRefusing(...refusals: readonly (readonly string[])[]) {
  const sent: string[][] = [];
  const send = async ({ input: { Entries = [] } }: SendMessageBatchCommand) => {
    const refused = refusals[sent.length] ?? [];
    sent.push(Entries.map(({ MessageBody = '' }) => MessageBody));
    return { Failed: refused.map((Id) => ({ Id, SenderFault: false, Code: 'InternalError' })) };
  };
  // The function sends only this command.
  return { queue: { client: { send } as unknown as SQSClient, queueUrl: 'q' }, sent };
}

const bodies = Array.from({ length: 12 }, (_, at) => ({ at }));
const texts = bodies.map((body) => JSON.stringify(body));

it('sends ten messages in a call', async () => {
  const { queue, sent } = queueRefusing();

  await sendBatch(queue, bodies);

  expect(sent).toEqual([texts.slice(0, 10), texts.slice(10)]);
});

it('sends refused messages a second time', async () => {
  const { queue, sent } = queueRefusing(['3', '7']);

  await sendBatch(queue, bodies);

  expect(sent).toEqual([texts.slice(0, 10), [texts[3], texts[7]], texts.slice(10)]);
});

it('fails when a message is refused twice, after it has sent the others', async () => {
  const { queue, sent } = queueRefusing(['3', '7'], ['7']);

  await expect(sendBatch(queue, bodies)).rejects.toThrow('SQS refused 1 of 12 messages');
  expect(sent.at(-1)).toEqual(texts.slice(10));
});
