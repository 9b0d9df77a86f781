import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSession } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { beginSession } from '../../../lambdas/domain/agent-sessions/begin-session.js';
import { openConnection } from '../../../lambdas/domain/live/connection.js';
import { memberKey } from '../../../lambdas/domain/projects/member.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { insertWorkspace } from '../../../lambdas/domain/workspaces/insert-workspace.js';
import { type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { WorkspaceStatus } from '../../../lambdas/domain/workspaces/workspace-status.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { lambdaContext } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes, pathIds } from '../../support/loaded-routes.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';
import { aNewWorkspace, placedWorkspace } from '../../support/records.js';
import { sagaArn } from '../../support/sagas.js';
import { signIn } from '../../support/sign-in.js';
import { loadStep, type RunStep } from '../workspaces/load-step.js';

// What becomes of everything a removed member still had: nothing of it may go on.

const files = [
  ...['members/change', 'members/remove', 'terminal/token', 'terminal/preview-token', 'workspaces/restart'],
  ...['workspaces/get', 'agent-sessions/create'],
];

let routes: LoadedRoutes;
let table: Table;
let handle: (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;
let stopWorkspaces: RunStep;
/** Calls to the live socket's management and to Step Functions, which nobody answers here. */
let sent: { readonly name: string; readonly input: Record<string, unknown> }[];
let owner: Person;
let member: Person;
let project: Project;

beforeAll(async () => {
  routes = await loadRoutes(files);
  ({ table } = routes);
  const { liveSockets } = await import('../../../lambdas/shared/clients/live-sockets.js');
  const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
  liveSockets.middlewareStack.add(record, { step: 'initialize', name: 'record' });
  stepFunctions.middlewareStack.add(record, { step: 'initialize', name: 'record' });
  ({ handler: handle } = await import('../../../lambdas/streams/end-rights.js'));
  stopWorkspaces = await loadStep('end-membership/stop-workspaces');
});

const record =
  (_next: unknown, { commandName = '' }: { commandName?: string }) =>
  async ({ input }: { input: object }) => {
    sent.push({ name: commandName, input: { ...input } });
    return { output: { $metadata: {} }, response: undefined };
  };

beforeEach(async () => {
  sent = [];
  owner = await aPerson(table);
  project = await projectOf(table, owner);
  member = await memberOf(table, project, 'maintainer');
});

async function call(file: string, { cookies }: Person, ids: Record<string, string> = {}, body?: unknown) {
  const params = pathIds(file, { projectId: project.projectId, userId: member.userId, ...ids });
  return routes.call(file, { params, body, cookies });
}

async function stored(key: { readonly pk: string; readonly sk: string }) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return Item;
}

const membership = () => memberKey(project.projectId, member.userId);

/** Does it, and sends the stream's consumer the change of the membership. */
async function reported(act: () => Promise<unknown>): Promise<void> {
  const before = await stored(membership());
  await act();
  const image = (item: object | undefined) => item && marshall(item, { removeUndefinedValues: true });
  const dynamodb = {
    SequenceNumber: '1',
    OldImage: image(before),
    NewImage: image(await stored(membership())),
  };
  // What the consumer reads of an event.
  const event = { Records: [{ eventID: 'e', dynamodb }] } as DynamoDBStreamEvent;
  expect(await handle(event, lambdaContext)).toEqual({ batchItemFailures: [] });
}

const removed = () => reported(() => call('members/remove', owner));
const lowered = () => reported(() => call('members/change', owner, {}, { role: 'viewer' }));

describe('live sockets of a removed member', () => {
  it('end, in all their sessions, and nobody else’s', async () => {
    const second = await signIn(table, { userId: member.userId });
    const opened = [
      { connectionId: 'one', ...member },
      { connectionId: 'two', ...second },
      { connectionId: 'of-owner', ...owner },
    ];
    for (const { connectionId, userId, sessionHash } of opened)
      await openConnection(table, { connectionId, userId, sessionHash }, new Date());

    await removed();

    const ended = sent.filter(({ name }) => name === 'DeleteConnectionCommand');
    expect(ended.map(({ input }) => input.ConnectionId).sort()).toEqual(['one', 'two']);
    expect(await stored({ pk: 'CONNECTION#one', sk: 'CONNECTION' })).toBeUndefined();
    expect(await stored({ pk: 'CONNECTION#of-owner', sk: 'CONNECTION' })).toBeDefined();
  });

  it('stay when the member may still read', async () => {
    await openConnection(table, { connectionId: 'reader', ...member }, new Date());

    await lowered();

    expect(sent.map(({ name }) => name)).toEqual(['StartExecutionCommand']);
  });
});

it.each([
  ['is removed', removed],
  ['may only look on', lowered],
])('a member who %s has a saga stop what they have running, once each time', async (_what, lose) => {
  await lose();

  const started = sent.filter(({ name }) => name === 'StartExecutionCommand').map(({ input }) => input);
  const { projectId } = project;
  expect(started).toEqual([
    {
      stateMachineArn: sagaArn('end-membership'),
      name: `${projectId}-${member.userId}-1`,
      input: JSON.stringify({ projectId, userId: member.userId }),
    },
  ]);
});

describe('what they have running', () => {
  const workspaceOf = async (status: WorkspaceStatus, overrides: Partial<Workspace> = {}) => {
    const own = { userId: member.userId, projectId: project.projectId, status, ...overrides };
    return (await placedWorkspace(table, own)).workspace;
  };
  const statusOf = async ({ workspaceId }: Workspace) => (await stored(workspaceKey(workspaceId)))?.status;
  const run = () => stopWorkspaces({ projectId: project.projectId, userId: member.userId });

  it('is stopped, whatever it is doing, and nothing else', async () => {
    const running = await workspaceOf('running', { taskToken: undefined });
    const provisioning = await workspaceOf('provisioning', { taskToken: 'waits' });
    const kept = [
      await workspaceOf('stopped'),
      await workspaceOf('deleted'),
      await workspaceOf('running', { projectId: newId() }),
      await workspaceOf('running', { projectId: null }),
      await workspaceOf('running', { userId: owner.userId }),
    ];
    await removed();
    sent = [];

    await run();

    expect([await statusOf(running), await statusOf(provisioning)]).toEqual(['stopping', 'stopping']);
    expect(await Promise.all(kept.map(statusOf))).toEqual(kept.map(({ status }) => status));
    const started = sent.filter(({ name }) => name === 'StartExecutionCommand');
    expect(started.map(({ input }) => input.name).sort()).toEqual(
      [running, provisioning].map(({ workspaceId }) => `${workspaceId}-1-stop`).sort(),
    );
    expect(sent.find(({ name }) => name === 'SendTaskFailureCommand')?.input).toMatchObject({
      taskToken: 'waits',
    });
    sent = [];
    await run();
    expect(sent).toEqual([]);
  });

  it('goes on when they were let in again before', async () => {
    const running = await workspaceOf('running');
    await lowered();
    await call('members/change', owner, {}, { role: 'admin' });

    await run();

    expect(await statusOf(running)).toBe('running');
  });

  it('gets no terminal token and no agent any more, and is theirs to look at', async () => {
    const { workspaceId } = await workspaceOf('running');
    const preview = { workspaceId, port: 5173 };
    expect(await call('terminal/token', member, {}, { workspaceId })).toMatchObject({ status: 200 });
    expect(await call('terminal/preview-token', member, {}, preview)).toMatchObject({ status: 200 });

    await removed();

    expect(await call('terminal/token', member, {}, { workspaceId })).toMatchObject({ status: 403 });
    expect(await call('terminal/preview-token', member, {}, preview)).toMatchObject({ status: 403 });
    expect(await call('workspaces/get', member, { workspaceId })).toMatchObject({ status: 200 });
  });

  it('gets no agent from a request that was let in just before', async () => {
    const { workspaceId, generation } = await workspaceOf('running');
    await removed();

    const at = new Date().toISOString();
    const session: AgentSession = {
      ...{ agentSessionId: newId(), workspaceId, generation, userId: member.userId },
      ...{ projectId: project.projectId, chatId: newId(), status: 'running', label: null, agentType: null },
      ...{ createdAt: at, updatedAt: at, stoppedAt: null },
    };
    await expect(beginSession(table, session, { now: new Date() })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('is not started again', async () => {
    const stopped = await workspaceOf('stopped');
    const { workspaceId } = stopped;
    await removed();

    expect(await call('workspaces/restart', member, { workspaceId })).toMatchObject({ status: 403 });
    expect(await statusOf(stopped)).toBe('stopped');
  });

  it('gets no company from a request that was let in just before', async () => {
    const late = aNewWorkspace({ userId: member.userId, projectId: project.projectId });
    await removed();

    await expect(insertWorkspace(table, late, undefined)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await stored(workspaceKey(late.workspaceId))).toBeUndefined();
  });

  it('is not stopped when a stop fails, but all the others are', async () => {
    const [good, broken] = [await workspaceOf('running'), await workspaceOf('running')];
    await removed();
    // A row that cannot be read again once it is claimed.
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: workspaceKey(broken.workspaceId),
        UpdateExpression: 'SET userId = :other',
        ExpressionAttributeValues: { ':other': newId() },
      }),
    );

    await expect(run()).rejects.toThrow('1 of 2 workspaces');
    expect(await statusOf(good)).toBe('stopping');
  });
});
