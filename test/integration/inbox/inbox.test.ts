import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endedRights, followedChanges } from '../../../infra/stream-filters.js';
import { changeChat, endChat } from '../../../lambdas/domain/chats/change-chat.js';
import { type Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { endStaleItems } from '../../../lambdas/domain/inbox/end-stale-items.js';
import { findMissingItems } from '../../../lambdas/domain/inbox/find-missing-items.js';
import { type InboxItem, inboxPartition, inboxRow } from '../../../lambdas/domain/inbox/inbox-item.js';
import {
  type Interaction,
  interactionItem,
  interactionKey,
} from '../../../lambdas/domain/interactions/interaction.js';
import { endWrites } from '../../../lambdas/domain/interactions/interaction-moves.js';
import { openConnection } from '../../../lambdas/domain/live/connection.js';
import {
  acceptOwnership,
  endOffer,
  offerOwnership,
} from '../../../lambdas/domain/members/ownership-offer.js';
import { Member, memberKey, ownershipOfferMs } from '../../../lambdas/domain/projects/member.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { promptKey } from '../../../lambdas/domain/prompts/prompt.js';
import { movePrompt, type PromptChange } from '../../../lambdas/domain/prompts/prompt-state.js';
import { deleteItems } from '../../../lambdas/domain/records/batch-items.js';
import type { Key } from '../../../lambdas/domain/records/changes.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { changeSnapshot, snapshotItem, snapshotKey } from '../../../lambdas/domain/snapshots/snapshot.js';
import { moveTask } from '../../../lambdas/domain/tasks/change-task.js';
import { type Task, taskKey } from '../../../lambdas/domain/tasks/task.js';
import { type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { LiveServerFrame } from '../../../protocol/live.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { matchesPattern } from '../../support/event-pattern.js';
import { lambdaContext } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { putItem } from '../../support/project.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';
import { putTask } from '../../support/put-task.js';
import { aWorkspace, putWorkspace } from '../../support/records.js';
import { aPrompt, putChat, readChat, readPrompt } from '../prompts/a-chat.js';

let routes: LoadedRoutes;
let table: Table;
let calls: CallCount;
let stream: (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;
let endRights: typeof import('../../../lambdas/streams/end-rights.js').handler;
let socket: typeof import('../../../lambdas/socket/subscribe.js').handler;
/** What connections were sent. */
let sent: { readonly connectionId: string; readonly frame: LiveServerFrame }[];
let project: Project;
let owner: Person;
let me: Person;
let other: Person;
let chat: Chat;

const at = '2026-11-21T10:00:00.000Z';

beforeAll(async () => {
  routes = await loadRoutes(['inbox/list', 'inbox/dismiss', 'members/remove']);
  ({ table } = routes);
  calls = countCalls(table.client);
  const { liveSockets } = await import('../../../lambdas/shared/clients/live-sockets.js');
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  const answered = { output: { $metadata: {} }, response: undefined };
  liveSockets.middlewareStack.add(
    () =>
      async ({ input }) => {
        if ('Data' in input)
          sent.push({ connectionId: String(input.ConnectionId), frame: JSON.parse(String(input.Data)) });
        return answered;
      },
    { step: 'initialize', name: 'record' },
  );
  stepFunctions.middlewareStack.add(() => async () => answered, { step: 'initialize', name: 'answer' });
  ({ handler: stream } = await import('../../../lambdas/streams/live.js'));
  ({ handler: endRights } = await import('../../../lambdas/streams/end-rights.js'));
  ({ handler: socket } = await import('../../../lambdas/socket/subscribe.js'));
});

beforeEach(async () => {
  sent = [];
  owner = await aPerson(table);
  project = await projectOf(table, owner);
  me = await memberOf(table, project, 'maintainer');
  other = await memberOf(table, project, 'maintainer');
  chat = await putChat(table, { ...mine(), topic: 'Mend the build' });
});

const mine = () => ({ projectId: project.projectId, userId: me.userId });

type Item = Readonly<Record<string, unknown>>;

async function stored(key: Key): Promise<Item | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return Item;
}

async function inboxRows(userId: string): Promise<readonly Item[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': inboxPartition(userId) },
      ConsistentRead: true,
    }),
  );
  return Items;
}

async function report(...changes: readonly (readonly [Item | undefined, Item | undefined])[]): Promise<void> {
  const image = (item: Item | undefined) => item && marshall(item, { removeUndefinedValues: true });
  const records = changes.map(([before, after], index) => ({
    eventID: String(index),
    eventName: !after ? 'REMOVE' : before ? 'MODIFY' : 'INSERT',
    dynamodb: { SequenceNumber: String(index), OldImage: image(before), NewImage: image(after) },
  }));
  const consumers = [
    [stream, followedChanges],
    [endRights, endedRights],
  ] as const;
  for (const [consume, filters] of consumers) {
    const Records = records.filter((record) => filters.some((pattern) => matchesPattern(pattern, record)));
    if (Records.length === 0) continue;
    // What the consumer reads of an event.
    const event = { Records } as DynamoDBStreamEvent;
    expect(await consume(event, lambdaContext)).toEqual({ batchItemFailures: [] });
  }
}

/** Does it, and sends the stream's consumer the change of this item and those that follow. */
async function followed(key: Key, act: () => Promise<unknown>, times = 1): Promise<void> {
  const [before, rows] = [await stored(key), await inboxRows(me.userId)];
  await act();
  const after = await stored(key);
  for (let time = 0; time < times; time += 1) await report([before, after]);
  const now = await inboxRows(me.userId);
  const isIn = (all: readonly Item[], { sk }: Item) => all.some((row) => row.sk === sk);
  await report(
    ...rows.filter((row) => !isIn(now, row)).map((row) => [row, undefined] as const),
    ...now.filter((row) => !isIn(rows, row)).map((row) => [undefined, row] as const),
  );
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly kind: string; readonly reason: string }[];
  readonly count: number | null;
  readonly nextCursor: string | null;
}

async function inbox({ cookies }: Person = me, query: Record<string, string> = {}): Promise<Listed> {
  const reply = await routes.call('inbox/list', { cookies, query });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  // The reply was checked against the contract.
  return reply.body as Listed;
}

/** One table call after that of the session. */
const listed = async () => (await inbox()).items;

const anItem = (overrides: Partial<InboxItem> = {}): InboxItem => ({
  ...mine(),
  itemId: `task.${newId()}`,
  ...{ kind: 'task', reason: 'completed', title: null, chatId: null, taskId: newId() },
  ...{ workspaceId: null, interactionId: null, deliveryId: null, sequence: null, createdAt: at },
  ...overrides,
});

const anInteraction = (overrides: Partial<Interaction> = {}): Interaction => ({
  interactionId: crypto.randomUUID(),
  chatId: chat.chatId,
  projectId: project.projectId,
  workspaceId: String(chat.workspaceId),
  agentSessionId: String(chat.agentSessionId),
  kind: 'permission',
  state: 'pending',
  generation: crypto.randomUUID(),
  runtimeIdentity: 'run-1',
  payloadHash: 'a'.repeat(64),
  deadlineAt: new Date(Date.now() + 3_600_000).toISOString(),
  attempts: 0,
  version: 1,
  createdAt: at,
  updatedAt: at,
  ...overrides,
});

async function asks(interaction = anInteraction()): Promise<Interaction> {
  const { interactionId } = interaction;
  await followed(interactionKey(chat.chatId, interactionId), () =>
    putItem(table, interactionItem(interaction)),
  );
  return interaction;
}

/** A person's message whose delivery has this result. */
async function sends(change: PromptChange = {}, times = 1): Promise<string> {
  const request = aPrompt({ senderId: me.userId });
  const key = promptKey(chat.chatId, request.deliveryId);
  const current = await readChat(table, chat.chatId);
  await followed(key, () => acceptPrompt(table, request, { chat: current, now: new Date() }), times);
  await delivered(request.deliveryId, change);
  return request.deliveryId;
}

async function delivered(deliveryId: string, change: PromptChange): Promise<void> {
  await followed(promptKey(chat.chatId, deliveryId), async () => {
    const prompt = await readPrompt(table, chat.chatId, deliveryId);
    await movePrompt(table, prompt, { change, now: new Date() });
  });
}

/** As many passes as there are pages of items that other tests left. */
async function checkItems(now: Date): Promise<void> {
  for (let pass = 0; pass < 4; pass += 1) await endStaleItems(table, now);
}

describe('the inbox has', () => {
  it('a request of an agent until it ends, without its content, also when the stream repeats', async () => {
    const interaction = await asks();
    const { interactionId } = interaction;

    expect(await inbox()).toEqual({
      items: [
        {
          ...{ id: `interaction.${interactionId}`, kind: 'interaction', reason: 'permission' },
          ...{ title: 'Mend the build', projectId: project.projectId, sessionId: chat.chatId, taskId: null },
          ...{ workspaceId: chat.workspaceId, interactionId, sequence: null, createdAt: at },
          link: `/workspaces/${chat.workspaceId}`,
        },
      ],
      ...{ count: 1, nextCursor: null },
    });
    const answered = { ...interaction, state: 'answered', version: 2 } as const;
    const moves = [
      [undefined, interactionItem(interaction)],
      [interactionItem(interaction), interactionItem(answered)],
    ] as const;
    await report(...moves);
    await report(...moves);
    expect(await listed()).toEqual([]);
  });

  it('no request that was interrupted', async () => {
    const interaction = await asks();
    await followed(interactionKey(chat.chatId, interaction.interactionId), () =>
      transact(table, endWrites(interaction, 'interrupted', new Date())),
    );

    expect(await inbox()).toEqual({ items: [], count: 0, nextCursor: null });
  });

  const question = { category: 'decision', context: 'Which?', requestedAt: at } as const;
  const ask = (messageId: string) =>
    followed(chatKey(chat.chatId), () =>
      changeChat(table, chat.chatId, {
        set: { attention: { ...question, messageId, options: [] } },
        now: new Date(),
      }),
    );

  it('a question until the person’s next message', async () => {
    await ask('m-1');
    await ask('m-2');
    expect(await listed()).toMatchObject([
      { id: `question.${chat.chatId}`, kind: 'question', reason: 'decision' },
    ]);

    const current = await readChat(table, chat.chatId);
    await followed(chatKey(chat.chatId), () =>
      acceptPrompt(table, aPrompt({ senderId: me.userId }), { chat: current, now: new Date() }),
    );
    expect(await listed()).toEqual([]);
  });

  it('no question of a chat that has ended', async () => {
    await ask('m-1');
    await followed(chatKey(chat.chatId), () => endChat(table, chat.chatId, new Date()));

    expect(await listed()).toEqual([]);
  });

  it.each([
    ['failed', { deliveryState: 'failed', terminalReason: 'attempts_exhausted' }],
    ['ambiguous', { deliveryState: 'delivered', receiptState: 'ambiguous' }],
    ['expired', { deliveryState: 'expired', terminalReason: 'deadline_passed' }],
  ] as const)('a message that is %s until the next one', async (reason, change) => {
    const { sequence } = await readPrompt(table, chat.chatId, await sends(change));
    expect(await listed()).toMatchObject([
      { id: `message.${chat.chatId}`, kind: 'message', reason, sequence },
    ]);

    await sends({ deliveryState: 'delivered' }, 2);
    expect(await listed()).toEqual([]);
  });

  it('the newest message only, which the fate of an older one does not end', async () => {
    const unclear = { deliveryState: 'delivered', receiptState: 'ambiguous' } as const;
    const first = await sends(unclear);
    const second = await sends(unclear);

    await delivered(first, { receiptState: 'completed' });
    expect(await listed()).toMatchObject([
      { sequence: (await readPrompt(table, chat.chatId, second)).sequence },
    ]);
    await delivered(second, { receiptState: 'completed' });
    expect(await listed()).toEqual([]);
  });

  it('no message that another one replaced, and none of an agent', async () => {
    await sends({ deliveryState: 'failed', terminalReason: 'superseded' });
    const request = aPrompt({ senderType: 'agent' });
    const current = await readChat(table, chat.chatId);
    await acceptPrompt(table, request, { chat: current, now: new Date() });
    await delivered(request.deliveryId, { deliveryState: 'failed', terminalReason: 'refused' });

    expect(await listed()).toEqual([]);
  });

  it('no message of a chat that has ended, also when its failure is reported late', async () => {
    const deliveryId = await sends({ deliveryState: 'failed', terminalReason: 'attempts_exhausted' });
    expect(await listed()).toHaveLength(1);
    await followed(chatKey(chat.chatId), () => endChat(table, chat.chatId, new Date()));
    expect(await listed()).toEqual([]);

    const failed = await stored(promptKey(chat.chatId, deliveryId));
    await report([{ ...failed, deliveryState: 'queued' }, failed]);
    expect(await listed()).toEqual([]);
  });

  it('an evicted workspace that nothing restores, until it is started, also after a failed start', async () => {
    const workspaceId = newId();
    const eviction = { generation: 1, nodeId: newId(), reason: 'memory_pressure', at } as const;
    const recovery = { of: newId(), chatIds: [chat.chatId] };
    let present = aWorkspace({ workspaceId, ...mine(), displayName: 'hello' });
    await putWorkspace(table, present);
    const becomes = (change: Partial<Workspace>) =>
      followed(workspaceKey(workspaceId), () => {
        present = { ...present, ...change };
        return putWorkspace(table, present);
      });
    await becomes({ status: 'evicted', eviction, recovery });
    await becomes({ recovery: undefined });
    expect(await listed()).toEqual([]);

    await becomes({ status: 'pending' });
    await becomes({ status: 'evicted', statusChangedAt: new Date().toISOString() });
    expect(await listed()).toMatchObject([
      {
        ...{ id: `eviction.${workspaceId}`, kind: 'eviction', reason: 'memory_pressure', title: 'hello' },
        ...{ taskId: null, workspaceId, link: `/workspaces/${workspaceId}` },
      },
    ]);
    for (const status of ['pending', 'running'] as const) await becomes({ status });
    expect(await listed()).toEqual([]);

    const again = { ...eviction, at: new Date().toISOString() };
    await becomes({ status: 'evicted', eviction: again, statusChangedAt: again.at });
    expect(await listed()).toHaveLength(1);
    await becomes({ status: 'stopping', eviction: undefined });
    expect(await listed()).toEqual([]);
  });

  const running = (more: Partial<Task> = {}) =>
    putTask(table, chat, { taskMode: 'task', status: 'in_progress', ...more });
  const ends = (task: Task, to: 'completed' | 'failed' | 'cancelled') =>
    followed(taskKey(project.projectId, task.taskId), () =>
      moveTask(table, { task, to, actor: { actorType: 'system', actorId: null }, now: new Date() }),
    );

  it.each(['completed', 'failed'] as const)('a task that has %s until it is dismissed', async (status) => {
    const task = await running();
    await ends(task, status);
    const id = `task.${task.taskId}`;
    expect(await listed()).toMatchObject([
      {
        ...{ id, kind: 'task', reason: status, title: 'Talk', taskId: task.taskId },
        link: `/projects/${project.projectId}/tasks/${task.taskId}`,
      },
    ]);

    const left = [];
    for (const { cookies } of [other, me, me]) {
      const reply = await routes.call('inbox/dismiss', { params: { itemId: id }, cookies });
      expect(reply.status).toBe(200);
      left.push((await listed()).length);
    }
    expect(left).toEqual([1, 0, 0]);
  });

  it('no task that a person cancelled, no subtask, and none that is deleted or runs again', async () => {
    await ends(await running(), 'cancelled');
    chat = await putChat(table, mine());
    await ends(await running({ parentTaskId: newId() }), 'completed');
    expect(await listed()).toEqual([]);

    for (const again of [{ status: 'ready' }, undefined] as const) {
      chat = await putChat(table, mine());
      const task = await running();
      await ends(task, 'failed');
      expect(await listed()).toHaveLength(1);
      const key = taskKey(project.projectId, task.taskId);
      const row = await stored(key);
      await report([row, again && { ...row, ...again }]);
      expect(await listed()).toEqual([]);
    }
  });

  const memberOfProject = async ({ userId }: Person) =>
    Member.parse(await stored(memberKey(project.projectId, userId)));
  const offered = (act: () => Promise<unknown>) => followed(memberKey(project.projectId, me.userId), act);
  const offer = async (to = me, now = new Date()) => {
    const [actor, target] = [await memberOfProject(owner), await memberOfProject(to)];
    return offerOwnership(table, { project, actor, target, now });
  };
  const accept = async (by = me) =>
    acceptOwnership(table, { project, member: await memberOfProject(by), now: new Date() });
  const end = async (by: Person) =>
    endOffer(table, { actor: await memberOfProject(by), target: await memberOfProject(me) });

  it.each([
    ['accepts it', () => accept()],
    ['declines it', () => end(me)],
    ['sees it cancelled', () => end(owner)],
  ])('an offer of the ownership until the person %s', async (_what, act) => {
    await offered(() => offer());

    const { projectId, name: title } = project;
    const id = `ownership.${projectId}`;
    const link = `/projects/${projectId}/members`;
    expect(await listed()).toMatchObject([{ id, kind: 'ownership', reason: 'offered', title, link }]);
    expect(await inbox(owner)).toMatchObject({ count: 0 });
    await offered(act);
    expect(await listed()).toEqual([]);
  });

  it('no offer of an owner who is the owner no more', async () => {
    await offered(() => offer());
    await offer(other);
    await accept(other);
    await checkItems(new Date(Date.now() + 20 * 60_000));
    expect(await listed()).toEqual([]);

    await report([undefined, await stored(memberKey(project.projectId, me.userId))]);
    expect(await listed()).toEqual([]);
  });

  it('an offer of the ownership no longer than it can be accepted', async () => {
    await offered(() => offer());
    await checkItems(new Date(Date.now() + ownershipOfferMs - 60_000));
    expect(await listed()).toHaveLength(1);

    await checkItems(new Date(Date.now() + ownershipOfferMs + 7 * 60 * 60_000));
    expect(await listed()).toEqual([]);
  });

  it('a workspace that cannot sleep, until it can', async () => {
    const workspaceId = String(chat.workspaceId);
    const key = snapshotKey(workspaceId);
    const snapshot = {
      ...{ snapshotId: newId(), workspaceId, ...mine(), chatSessionId: chat.chatId },
      ...{ agentSessionId: String(chat.agentSessionId), runtime: 'vm', status: 'pending' },
      ...{ degradation: 'none', captureGeneration: 1, oldestGeneration: 1, version: 1 },
      ...{ createdAt: at, updatedAt: at, baseCommit: null, captureError: null },
    };
    await putItem(
      table,
      // The rest has no part in it.
      snapshotItem(snapshot as unknown as Parameters<typeof snapshotItem>[0]),
    );
    const decision = {
      ...({ version: 1, outcome: 'blocked', trigger: 'retry_ceiling' } as const),
      ...({ blockedReason: 'retry_ceiling', decidedAt: at, episodeStartedAt: at } as const),
      ...{ failedAttempts: 9, lastError: 'no', recoveryPoint: null },
    };
    await followed(key, () => changeSnapshot(table, workspaceId, { set: { decision }, now: new Date() }));
    expect(await listed()).toMatchObject([
      { id: `sleep.${workspaceId}`, kind: 'sleep', reason: 'retry_ceiling', title: 'Mend the build' },
    ]);

    await followed(key, () => deleteItems(table, [key]));
    expect(await listed()).toEqual([]);
  });
});

describe('an inbox', () => {
  it('is seen by its person only, and leaves out the projects that the person has left', async () => {
    await asks();
    expect(await inbox(other)).toEqual({ items: [], count: 0, nextCursor: null });

    const key = memberKey(project.projectId, me.userId);
    await putItem(table, inboxRow(anItem({ projectId: newId() })));
    await followed(key, async () => {
      const before = await stored(key);
      await putItem(table, { ...before, status: 'removed' });
    });
    expect(await listed()).toMatchObject([{ kind: 'task' }]);

    // The person's agents end only after that, and may ask and fail until then.
    await asks();
    expect(await listed()).toHaveLength(1);
  });

  it('is read in pages, newest first, with its number on the first page and one table call', async () => {
    const ids = Array.from({ length: 105 }, (_, index) => `task.${String(index).padStart(26, '0')}`);
    for (const [index, itemId] of ids.entries())
      await putItem(
        table,
        inboxRow(anItem({ itemId, createdAt: new Date(Date.parse(at) + index).toISOString() })),
      );

    calls.reset();
    const seen: string[] = [];
    const counts: (number | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: Listed = await inbox(me, { limit: '50', ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      counts.push(page.count);
      cursor = page.nextCursor;
    } while (cursor !== null);

    expect(seen).toEqual([...ids].reverse());
    expect(counts).toEqual([100, null, null]);
    expect(calls.names).toEqual(counts.flatMap(() => ['BatchGetItemCommand', 'QueryCommand']));
    const { nextCursor } = await inbox(me, { limit: '1' });
    const stolen = await routes.call('inbox/list', {
      ...{ cookies: other.cookies, query: { cursor: String(nextCursor) } },
    });
    expect(stolen).toMatchObject({ status: 400, body: { details: [{ field: 'query.cursor' }] } });
  });

  it('loses only the item that is dismissed', async () => {
    const { interactionId } = await asks();
    await asks();
    const dismiss = async (itemId: string) =>
      routes.call('inbox/dismiss', { params: { itemId }, cookies: me.cookies });

    for (const itemId of ['task.x', 'other.1', `${interactionId}`, `question.${interactionId}`])
      expect(await dismiss(itemId)).toMatchObject({
        status: 400,
        body: { error: 'BAD_REQUEST', details: [{ field: 'path.itemId' }] },
      });
    expect((await dismiss(`question.${chat.chatId}`)).status).toBe(200);
    expect(await listed()).toHaveLength(2);
    expect((await dismiss(`interaction.${interactionId}`)).status).toBe(200);
    expect(await listed()).toHaveLength(1);

    // It does not come back with a repeat; a new cause with its id does come.
    const asked = await stored(interactionKey(chat.chatId, interactionId));
    await report([undefined, asked]);
    expect(await listed()).toHaveLength(1);
    const createdAt = new Date(Date.now() + 1_000).toISOString();
    await report([undefined, { ...asked, createdAt }]);
    expect(await listed()).toHaveLength(2);
  });

  it('is repaired by the sweep where the stream lost a change, and not before the stream may be late', async () => {
    const created = new Date(Date.now() - 30 * 60_000);
    const late = anInteraction({ createdAt: new Date().toISOString() });
    const lost = anInteraction({ createdAt: created.toISOString() });
    const openInteractions = new Set([lost.interactionId, late.interactionId]);
    for (const each of [lost, late]) await putItem(table, interactionItem(each));
    await putItem(table, { ...(await stored(chatKey(chat.chatId))), openInteractions });
    const pass = async () => {
      // People follow each other by id.
      await putItem(table, { pk: 'INBOXREPAIR', sk: 'POSITION', userId: me.userId.slice(0, -1) });
      await findMissingItems(table, new Date());
    };
    await pass();
    const id = `interaction.${lost.interactionId}`;
    expect(await listed()).toMatchObject([{ id, createdAt: lost.createdAt }]);

    const [row] = await inboxRows(me.userId);
    const soon = new Date(created.getTime() + 16 * 60_000);
    await checkItems(soon);
    const [checked] = await inboxRows(me.userId);
    expect(checked?.parentSk).not.toBe(row?.parentSk);
    sent = [];
    await report([row, checked]);
    expect(sent).toEqual([]);

    await transact(table, endWrites(lost, 'expired', new Date()));
    await checkItems(soon);
    expect(await listed()).toHaveLength(1);
    await checkItems(new Date(soon.getTime() + 7 * 60 * 60_000));
    expect(await listed()).toEqual([]);
    await pass();
    expect(await listed()).toEqual([]);
  });

  it('loses a message in the sweep when the stream lost the next one, and keeps one that waits', async () => {
    await sends({ deliveryState: 'failed', terminalReason: 'refused' });
    const dayLater = new Date(Date.now() + 86_400_000);
    await checkItems(dayLater);
    expect(await listed()).toHaveLength(1);

    const current = await readChat(table, chat.chatId);
    await acceptPrompt(table, aPrompt({ senderId: me.userId }), { chat: current, now: new Date() });
    await checkItems(new Date(dayLater.getTime() + 86_400_000));
    expect(await listed()).toEqual([]);
  });

  it('is sent to its person on the live socket, and to nobody else', async () => {
    const topic = `user:${me.userId}`;
    const subscribe = async (person: Person) => {
      const { userId, sessionHash } = person;
      const connectionId = newId();
      await openConnection(table, { connectionId, userId, sessionHash }, new Date());
      const requestContext = {
        ...{ connectionId, routeKey: 'subscribe', eventType: 'MESSAGE' },
        authorizer: { userId, sessionHash },
      };
      const body = JSON.stringify({ action: 'subscribe', topic });
      // The edge reads nothing else of it.
      await socket({ requestContext, body } as unknown as Parameters<typeof socket>[0], lambdaContext);
      return connectionId;
    };
    const connectionId = await subscribe(me);
    await subscribe(other);
    expect(sent.map(({ frame }) => frame)).toMatchObject([
      { type: 'subscribed', topic },
      { type: 'error', error: 'NOT_FOUND' },
    ]);

    sent = [];
    const { interactionId } = await asks();
    const interaction = anInteraction({ interactionId });
    await followed(interactionKey(chat.chatId, interactionId), () =>
      transact(table, endWrites(interaction, 'expired', new Date())),
    );

    const id = `interaction.${interactionId}`;
    const own = sent.filter(({ frame }) => 'topic' in frame && frame.topic === topic);
    expect(own).toMatchObject([
      {
        connectionId,
        frame: { type: 'inbox.added', data: { item: { id, title: 'Mend the build' }, count: 1 } },
      },
      {
        connectionId,
        frame: { type: 'inbox.resolved', data: { itemId: id, kind: 'interaction', count: 0 } },
      },
    ]);
    expect(JSON.stringify(own)).not.toContain(interaction.payloadHash);
  });
});
