import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { type Message, messageItem } from '../../../lambdas/domain/chats/message.js';
import { Aws } from '../../../local/aws.js';
import type { BenchCloud } from '../tasks/bench-cloud.js';

export const messagesOfLongChat = 5_000;
const batchSize = 25;

/** Continues a chat, in the table itself, until it has so many messages. */
export async function fillChat({ started }: BenchCloud, chatId: string, count: number): Promise<void> {
  using aws = new Aws(started.cloud);
  const client = DynamoDBDocumentClient.from(aws.dynamo);
  const { TableName } = started.cloud.outputs;
  const Key = chatKey(chatId);
  const { Item } = await client.send(new GetCommand({ TableName, Key }));
  const chat = Chat.parse(Item);
  for (let from = chat.lastSequence + 1; from <= count; from += batchSize) {
    const size = Math.min(batchSize, count + 1 - from);
    const requests = Array.from({ length: size }, (_, index) => ({
      PutRequest: { Item: messageItem(messageAt(chat, from + index)) },
    }));
    await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
  await client.send(
    new UpdateCommand({
      ...{ TableName, Key, UpdateExpression: 'SET lastSequence = :count, messageCount = :count' },
      ExpressionAttributeValues: { ':count': count },
    }),
  );
}

/** A turn: a message, thoughts, five calls of tools, and an answer in markdown. */
const turn = ['user', 'thinking', 'tool', 'tool', 'tool', 'tool', 'tool', 'assistant'] as const;

const answer = (sequence: number) => `### Step ${sequence}

I changed **two files** and ran the tests:

- \`src/door.ts\` closes the door before it opens the next one
- \`src/door.test.ts\` holds the case of [issue ${sequence}](https://example.com/${sequence})

\`\`\`ts
export const close = (door: Door): Door => ({ ...door, isOpen: false, steps: ${sequence} });
\`\`\`

The last run took ${sequence % 60} s.`;

function messageAt({ chatId, projectId }: Chat, sequence: number): Message {
  const role = turn[sequence % turn.length] ?? 'user';
  const toolMetadata =
    role === 'tool'
      ? {
          toolCallId: `call-${sequence}`,
          title: `src/door-${sequence}.ts`,
          kind: 'read',
          status: 'completed',
        }
      : null;
  return {
    ...{ chatId, projectId, sequence, messageId: `bench-${sequence}`, role, toolMetadata, origin: null },
    content: role === 'assistant' ? answer(sequence) : `Message ${sequence} of the benchmark`,
    createdAt: '2026-11-21T10:00:00.000Z',
  };
}
