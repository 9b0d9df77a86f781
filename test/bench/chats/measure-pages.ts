import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Chat, chatItem } from '../../../lambdas/domain/chats/chat.js';
import { messageItem, messageSk } from '../../../lambdas/domain/chats/message.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { aChat } from '../../integration/prompts/a-chat.js';
import { setup } from '../../support/emulator.setup.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { aPerson, type Person, projectOf } from '../../support/project-members.js';
import { type Measurement, median } from '../measurement.js';

const few = 100;
const many = 100_000;
const limit = 50;
/** The emulator takes seconds for a query of so many. */
const rounds = { few: 25, many: 4 };

/**
 * Pages of a session's messages, newest and from its middle, in turn with the bare query of the
 * same page. The emulator looks at all items of a partition for each query, which the table in the
 * cloud does not, so only their ratio compares.
 */
export async function measurePages(): Promise<readonly Measurement[]> {
  const stop = await setup();
  try {
    Object.assign(process.env, functionEnv, { LOG_LEVEL: 'SILENT' });
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const person = await aPerson(table);
    const { projectId } = await projectOf(table, person);
    const pages = new Pages({ table, read: await loadRoute('chats/messages'), person, projectId });
    const [small, large] = [await pages.fill(few), await pages.fill(many)];
    const ofSmall = await pages.measure(small, { before: few + 1, rounds: rounds.few });
    const ofNewest = await pages.measure(large, { before: many + 1, rounds: rounds.many });
    const ofMiddle = await pages.measure(large, { before: many / 2, rounds: rounds.many });
    return [
      ...toMeasurements('100 messages', ofSmall),
      ...toMeasurements('100,000 messages', ofNewest, ofSmall),
      ...toMeasurements('100,000 messages, from the middle', ofMiddle, ofSmall),
    ];
  } finally {
    await stop();
  }
}

interface Times {
  readonly page: number;
  /** Of a page and the bare query of the same turn. */
  readonly ratio: number;
}

class Pages {
  constructor(
    private readonly parts: {
      readonly table: Table;
      readonly read: Invoke;
      readonly person: Person;
      readonly projectId: string;
    },
  ) {}

  async fill(count: number): Promise<Chat> {
    const { table, person, projectId } = this.parts;
    const chat = aChat({ projectId, userId: person.userId, lastSequence: count, messageCount: count });
    await putItem(table, chatItem(chat));
    for (let from = 1; from <= count; from += 25) {
      const sequences = Array.from({ length: Math.min(25, count + 1 - from) }, (_, index) => from + index);
      const requests = sequences.map((sequence) => ({ PutRequest: { Item: messageOf(chat, sequence) } }));
      await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
    }
    return chat;
  }

  async measure(
    chat: Chat,
    { before, rounds }: { readonly before: number; readonly rounds: number },
  ): Promise<Times> {
    const times: Times[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await timed(() => this.query(chat, before));
      const page = await timed(() => this.page(chat, before));
      times.push({ page, ratio: page / bare });
    }
    const of = (part: keyof Times) => median(times.map((one) => one[part]));
    return { page: of('page'), ratio: of('ratio') };
  }

  private async page({ projectId, chatId }: Chat, before: number): Promise<void> {
    const { status, body } = await this.parts.read({
      params: { projectId, sessionId: chatId },
      query: { before: String(before), limit: String(limit), order: 'desc' },
      cookies: this.parts.person.cookies,
    });
    const found = z.object({ messages: z.array(z.unknown()) }).safeParse(body);
    if (status !== 200 || found.data?.messages.length !== limit)
      throw new Error(`A page answered ${status}: ${JSON.stringify(body)}`);
  }

  private async query({ chatId }: Chat, before: number): Promise<void> {
    const { table } = this.parts;
    await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': `CHAT#${chatId}`,
          ':first': messageSk(1),
          ':last': messageSk(before - 1),
        },
        ScanIndexForward: false,
        Limit: limit,
        ConsistentRead: true,
      }),
    );
  }
}

const messageOf = ({ chatId, projectId }: Chat, sequence: number) =>
  messageItem({
    chatId,
    projectId,
    sequence,
    messageId: `m-${sequence}`,
    role: sequence % 2 ? 'user' : 'assistant',
    content: `message ${sequence}`,
    toolMetadata: null,
    origin: null,
    createdAt: '2026-11-21T10:00:00.000Z',
  });

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function toMeasurements(what: string, { page, ratio }: Times, base?: Times): readonly Measurement[] {
  return [
    { name: `Page of ${limit} of ${what}, here`, value: rounded(page), unit: 'ms' },
    {
      name: '— / the bare query of the same page',
      value: rounded(ratio),
      unit: 'x',
      // No more than of few messages.
      ...(base ? { limit: rounded(base.ratio) } : {}),
    },
  ];
}

const rounded = (value: number) => Math.round(value * 100) / 100;
