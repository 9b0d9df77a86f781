import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { CreateQueueCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sdkConfig } from '../../../local/aws.js';
import { Emulator } from '../../../local/emulator/emulator.js';
import { freePort } from '../../../local/processes/ports.js';
import { RunLedger } from '../../../local/processes/run-ledger.js';
import { until } from '../../support/until.js';
import { createFunction } from './small-function.js';

const root = process.cwd();
let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'berth-emulator-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 }));

async function start(isWhole = true): Promise<Emulator> {
  const ledger = new RunLedger(join(stateDir, 'run'));
  const nodeBin = join(root, 'node_modules/node/bin');
  return Emulator.start({ root, stateDir, port: await freePort(), nodeBin, ledger, isWhole });
}

async function withQueues<T>(emulator: Emulator, use: (sqs: SQSClient) => Promise<T>): Promise<T> {
  const sqs = new SQSClient(sdkConfig(emulator));
  try {
    return await use(sqs);
  } finally {
    sqs.destroy();
  }
}
const addQueue = (emulator: Emulator) =>
  withQueues(emulator, (sqs) => sqs.send(new CreateQueueCommand({ QueueName: 'kept' })));
const countQueues = (emulator: Emulator) =>
  withQueues(emulator, async (sqs) => (await sqs.send(new ListQueuesCommand({}))).QueueUrls?.length ?? 0);

it('keeps its state when it is asked to end', async () => {
  {
    await using first = await start();
    expect(first.state).toBe('new');
    await addQueue(first);
  }
  await using second = await start();

  expect([second.state, await countQueues(second)]).toEqual(['kept', 1]);
});

it('keeps its state when its parent dies without a word', async () => {
  const first = await start();
  await addQueue(first);
  // What the death of the parent looks like from the inside: its end of the pipe closes.
  first.letGo();
  await first.ended;
  await using second = await start();

  expect([second.state, await countQueues(second)]).toEqual(['kept', 1]);
});

it('throws the state of a killed one away, and says so', async () => {
  const first = await start();
  await addQueue(first);
  process.kill(first.pid ?? 0, 'SIGKILL');
  await first.ended;
  expect(existsSync(join(stateDir, 'emulator/saved'))).toBe(false);
  await using second = await start();

  expect([second.state, await countQueues(second)]).toEqual(['lost', 0]);
});

it('throws the state of a deployment that was broken off away, however well it was saved', async () => {
  {
    await using first = await start();
    await addQueue(first);
  }
  await using second = await start(false);

  expect([second.state, await countQueues(second)]).toEqual(['lost', 0]);
});

it('ends a waiting step at once when its function fails, with the name of the error', async () => {
  await using emulator = await start();
  await createFunction(
    emulator,
    'export const handler = async () => { const error = new Error("no room"); error.name = "NoRoom"; throw error; };',
  );
  const sfn = new SFNClient(sdkConfig(emulator));
  const wait = {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: { FunctionName: 'small', Payload: { token: '{% $states.context.Task.Token %}' } },
    TimeoutSeconds: 600,
    Catch: [{ ErrorEquals: ['NoRoom'], Next: 'Caught' }],
    Next: 'Caught',
  };
  const { stateMachineArn } = await sfn.send(
    new CreateStateMachineCommand({
      name: 'waiting',
      roleArn: 'arn:aws:iam::000000000000:role/any',
      definition: JSON.stringify({
        QueryLanguage: 'JSONata',
        StartAt: 'Wait',
        States: {
          Wait: wait,
          Caught: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
        },
      }),
    }),
  );
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn }));

  const ended = await until(
    'the execution ends',
    async () => {
      const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return execution.status === 'RUNNING' ? undefined : execution;
    },
    30_000,
  );

  expect([ended.status, ended.output]).toEqual(['SUCCEEDED', '"NoRoom"']);
  sfn.destroy();
});
