import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePortRange } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { until } from '../../support/until.js';
import { createFunction, post } from './small-function.js';

const root = process.cwd();

describe('an emulator that is started again on its saved state', () => {
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

  it('tells the reader of a stream of what is written afterwards', async () => {
    await readStream(emulator?.endpoint ?? '');
    await put('before');
    await seen('before\n');

    await emulator?.[Symbol.asyncDispose]();
    emulator = await start();
    await put('after');

    expect(emulator.state).toBe('kept');
    await seen('before\nafter\n');
  });

  const start = () =>
    Emulator.start({
      root,
      stateDir: folder,
      port,
      nodeBin: join(root, 'node_modules/node/bin'),
      ledger: new RunLedger(join(folder, 'run')),
    });

  const table = () =>
    new DynamoDBClient({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });

  const put = (id: string) =>
    table().send(new PutItemCommand({ TableName: 'things', Item: { id: { S: id } } }));

  const seen = (wanted: string) =>
    until(
      `the reader saw ${JSON.stringify(wanted)}`,
      () => readFileSync(seenFile, 'utf8') === wanted || undefined,
      20_000,
    );

  async function readStream(endpoint: string): Promise<void> {
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
      endpoint,
      folder,
      `import { appendFileSync } from 'node:fs';
       export const handler = async ({ Records }) => {
         for (const { dynamodb } of Records) appendFileSync(${JSON.stringify(seenFile)}, dynamodb.Keys.id.S + '\\n');
       };`,
    );
    const { status, text } = await post(`${endpoint}/2015-03-31/event-source-mappings`, {
      FunctionName: 'small',
      EventSourceArn: TableDescription?.LatestStreamArn,
      StartingPosition: 'LATEST',
    });
    expect(status, text).toBe(202);
  }
});
