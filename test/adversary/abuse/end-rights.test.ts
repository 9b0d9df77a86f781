import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { endedRights, followedChanges } from '../../../infra/stream-filters.js';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { openConnection, subscribe } from '../../../lambdas/domain/live/connection.js';
import { socketLimits } from '../../../lambdas/domain/live/socket-limits.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { userItem } from '../../../lambdas/domain/users/user.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putChat } from '../../integration/prompts/a-chat.js';
import { matchesPattern } from '../../support/event-pattern.js';
import { functionEnv } from '../../support/function-env.js';
import { lambdaContext } from '../../support/invoke.js';
import { aProject } from '../../support/project.js';
import { aUser } from '../../support/project-members.js';
import { signIn } from '../../support/sign-in.js';
import { SocketGateway } from '../../support/socket-gateway.js';
import { emptyTable } from '../../support/table.js';

// The end of a right does not wait for what other people's sockets are sent.

type Item = Readonly<Record<string, unknown>>;
type Change = readonly [before: Item | undefined, after: Item | undefined];

let gateway: SocketGateway;
let table: Table;
let live: typeof import('../../../lambdas/streams/live.js').handler;
let endRights: typeof import('../../../lambdas/streams/end-rights.js').handler;
let sagas: string[] = [];

beforeAll(async () => {
  gateway = await SocketGateway.listen();
  const { name } = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: name, LIVE_ENDPOINT: gateway.endpoint });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  stepFunctions.middlewareStack.add(
    (_next, { commandName = '' }) =>
      async () => {
        sagas.push(commandName);
        return { output: { $metadata: {} }, response: undefined } as never;
      },
    { step: 'initialize', name: 'record' },
  );
  ({ handler: live } = await import('../../../lambdas/streams/live.js'));
  ({ handler: endRights } = await import('../../../lambdas/streams/end-rights.js'));
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.reset();
  sagas = [];
});

const image = (item: Item | undefined) => item && marshall(item, { removeUndefinedValues: true });

const recordsOf = (...changes: readonly Change[]) =>
  changes.map(([before, after], index) => ({
    eventName: !after ? 'REMOVE' : before ? 'MODIFY' : 'INSERT',
    dynamodb: { SequenceNumber: String(index), OldImage: image(before), NewImage: image(after) },
  }));

/** What a mapping with these filters hands on. */
const through = (filters: readonly object[], ...changes: readonly Change[]) =>
  recordsOf(...changes).filter((record) => filters.some((pattern) => matchesPattern(pattern, record)));

// What the consumer reads of an event.
const event = (Records: ReturnType<typeof recordsOf>) => ({ Records }) as unknown as DynamoDBStreamEvent;

async function socketOf(userId: string): Promise<string> {
  const { sessionHash } = await signIn(table, { userId });
  const connectionId = newId();
  await openConnection(table, { connectionId, userId, sessionHash }, new Date());
  return connectionId;
}

function suspension(userId: string): Change {
  const user = aUser({ userId });
  return [userItem(user), userItem({ ...user, status: 'suspended', accessVersion: 2 })];
}

it('hands the end of a right to its own consumer, and nothing that can be sent in floods', () => {
  const userId = newId();
  const project = aProject();
  const member = memberItem({
    ...{ projectId: project.projectId, userId, role: 'viewer', status: 'active', project },
    joinedAt: project.createdAt,
  });
  const session = { pk: 'SESSION#1', sk: 'SESSION', entity: 'session' };
  const ends: readonly Change[] = [suspension(userId), [member, undefined], [session, undefined]];
  const floods: readonly Change[] = [
    ...(['message', 'chat', 'prompt', 'task', 'connection', 'subscription', 'socket-count'] as const).map(
      (entity): Change => [{ entity }, { entity, userId, deliveryState: 'queued' }],
    ),
    [undefined, session],
    [undefined, { entity: 'project-event', parentPk: 'UNMATCHEDEVENTS' }],
  ];

  expect(through(endedRights, ...ends)).toHaveLength(ends.length);
  expect(through(endedRights, ...floods)).toEqual([]);
  expect(through(followedChanges, ...ends)).toEqual([]);
});

it('ends the sockets of a suspended person while every other socket takes no frame', async () => {
  const flooder = newId();
  const chat = await putChat(table, { userId: flooder });
  const { sessionHash } = await signIn(table, { userId: flooder });
  for (let index = 0; index < socketLimits.session; index += 1) {
    const connectionId = newId();
    await openConnection(table, { connectionId, userId: flooder, sessionHash }, new Date());
    await subscribe(table, { connectionId, expiresAt: 2_000_000_000 }, `chat:${chat.chatId}`);
    gateway.broken.set(connectionId, 'silent');
  }
  const userId = newId();
  const socket = await socketOf(userId);
  const flood = live(
    event(recordsOf([chatItem(chat), chatItem({ ...chat, version: 2, status: 'stopped' })])),
    lambdaContext,
  );

  const outcome = await endRights(event(through(endedRights, suspension(userId))), lambdaContext);

  expect(outcome).toEqual({ batchItemFailures: [] });
  expect(gateway.closed).toContain(socket);
  expect(sagas).toEqual(['StartExecutionCommand']);
  expect(await flood).toEqual({ batchItemFailures: [] });
});

it('keeps an end for another try when the gateway refuses to close the socket', async () => {
  const userId = newId();
  const socket = await socketOf(userId);
  gateway.refusesToClose.add(socket);
  const ends = event(through(endedRights, suspension(userId)));

  expect((await endRights(ends, lambdaContext)).batchItemFailures).toHaveLength(1);
  gateway.refusesToClose.clear();
  expect(await endRights(ends, lambdaContext)).toEqual({ batchItemFailures: [] });

  expect(gateway.closed).toContain(socket);
});
