import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeys } from '../../../local/access/keys.js';
import { sdkConfig } from '../../../local/aws.js';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { until } from '../../support/until.js';
import { createFunction, post } from './small-function.js';

const root = process.cwd();

describe('the emulator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-streams-'));
  const seenFile = join(folder, 'seen');
  let port: number;
  let emulator: Emulator | undefined;

  beforeEach(async () => {
    port = await freePortRange(1);
    emulator = await start();
  });
  afterEach(async () => {
    await emulator?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('sends the reader of a stream what is written after a restart', async () => {
    await readStream();
    await put('before');
    await seen('before\n');

    await emulator?.[Symbol.asyncDispose]();
    emulator = await start();
    await put('after');

    expect(emulator.state).toBe('kept');
    await seen('before\nafter\n');
  });

  it('gives the reader of a stream together what a transaction has written', async () => {
    await readStream();

    for (const round of ['a', 'b', 'c', 'd', 'e']) {
      const ids = Array.from({ length: 100 }, (_, index) => `${round}${index}`);
      await transact(ids);
      // Read to its end before the next, so that the reader waits for that one.
      await until(`the reader saw ${round}`, () => read().includes(`${round}99`) || undefined, 20_000);
    }

    expect(read().trim().split('\n')).toHaveLength(5);
  });

  const start = () =>
    Emulator.start({
      root,
      stateDir: folder,
      port,
      nodeBin: join(root, 'node_modules/node/bin'),
      ledger: new RunLedger(join(folder, 'run')),
    });

  const table = () => new DynamoDBClient(sdkConfig(access()));

  const access = () => ({ endpoint: `http://127.0.0.1:${port}`, keys: openKeys(folder) });

  const put = (id: string) =>
    table().send(new PutItemCommand({ TableName: 'things', Item: { id: { S: id } } }));

  const transact = (ids: readonly string[]) =>
    table().send(
      new TransactWriteItemsCommand({
        TransactItems: ids.map((id) => ({ Put: { TableName: 'things', Item: { id: { S: id } } } })),
      }),
    );

  /** Each batch of the reader in a line. */
  const seen = (wanted: string) =>
    until(`the reader saw ${JSON.stringify(wanted)}`, () => read() === wanted || undefined, 20_000);

  const read = () => (existsSync(seenFile) ? readFileSync(seenFile, 'utf8') : '');

  async function readStream(): Promise<void> {
    const { TableDescription } = await table().send(
      new CreateTableCommand({
        TableName: 'things',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    await createFunction(
      access(),
      `import { appendFileSync } from 'node:fs';
       export const handler = async ({ Records }) => {
         const ids = Records.map(({ dynamodb }) => dynamodb.Keys.id.S);
         appendFileSync(${JSON.stringify(seenFile)}, ids.join(' ') + '\\n');
       };`,
    );
    const { status, text } = await post(access(), '/2015-03-31/event-source-mappings', {
      FunctionName: 'small',
      EventSourceArn: TableDescription?.LatestStreamArn,
      StartingPosition: 'LATEST',
      BatchSize: 1_000,
    });
    expect(status, text).toBe(202);
  }
});
