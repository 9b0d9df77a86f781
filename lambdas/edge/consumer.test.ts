import type { Context, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import * as edge from './consumer.js';

const context = { awsRequestId: 'request' } as Context;
const Message = z.object({ id: z.int() });

const batch = (queue: string, bodies: readonly string[]): SQSEvent =>
  // A consumer reads nothing else of a record.
  ({
    Records: bodies.map((body, index) => ({
      messageId: `m${index}`,
      body,
      eventSourceARN: `arn:aws:sqs:us-east-1:1:${queue}`,
    })),
  }) as unknown as SQSEvent;

describe('a queue’s consumer', () => {
  const seen: number[] = [];
  const consume = (event: SQSEvent) =>
    edge.queueConsumer(Message, async ({ message }) => {
      if (message.id === 2) throw new Error('fails');
      seen.push(message.id);
    })(event, context);

  it('reports what failed, and goes on with the others of a standard queue', async () => {
    const reply = await consume(batch('wake-ups', ['{"id":1}', '{"id":2}', '{"id":3}']));

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(seen).toEqual([1, 3]);
  });

  it('lets nothing pass a failure in a FIFO queue', async () => {
    const reply = await consume(batch('prompts.fifo', ['{"id":2}', '{"id":5}']));

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }] });
    expect(seen).not.toContain(5);
  });

  it.each(['{', '{"id":"x"}', 'null'])('acknowledges what will never be a message: %s', async (body) => {
    expect(await consume(batch('wake-ups', [body]))).toEqual({ batchItemFailures: [] });
  });
});

describe('a stream’s consumer', () => {
  const change = (sequence: string, id: string) => ({
    eventID: `e${sequence}`,
    dynamodb: { SequenceNumber: sequence, NewImage: { pk: { S: id } } },
  });

  const event = (...changes: ReturnType<typeof change>[]): DynamoDBStreamEvent => ({ Records: changes });
  const readId = async ({ change: { after } }: { change: { after: unknown } }) => {
    const { pk } = after as { pk: string };
    if (pk === 'bad') throw new Error('fails');
    return [pk];
  };

  it('acts once on all of a batch', async () => {
    const acts: unknown[] = [];
    const consume = edge.streamConsumer({ read: readId, act: async ({ found }) => void acts.push(found) });

    expect(await consume(event(change('1', 'a'), change('2', 'b')), context)).toEqual({
      batchItemFailures: [],
    });
    expect(acts).toEqual([['a', 'b']]);
  });

  it('stops at the first change that fails, to read again from there', async () => {
    const acts: unknown[] = [];
    const consume = edge.streamConsumer({ read: readId, act: async ({ found }) => void acts.push(found) });

    const reply = await consume(event(change('1', 'good'), change('2', 'bad'), change('3', 'good')), context);

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(acts).toEqual([['good']]);
  });

  it('reads all of a batch again that it could not act on', async () => {
    const consume = edge.streamConsumer({
      read: readId,
      act: async () => {
        throw new Error('fails');
      },
    });

    const reply = await consume(event(change('1', 'good'), change('2', 'bad')), context);

    expect(reply).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });
});
