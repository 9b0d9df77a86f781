import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { limitsOf, listUsage } from '../../../lambdas/domain/credentials/credential-limits.js';
import { recordUsage } from '../../../lambdas/domain/credentials/credential-usage.js';
import { recordCredentialUse } from '../../../lambdas/domain/credentials/resolve-agent-credential.js';
import { Follower } from '../../../lambdas/domain/event-subscriptions/follower.js';
import { matches } from '../../../lambdas/domain/event-subscriptions/matches.js';
import { findEvent } from '../../../lambdas/domain/project-events/find-event.js';
import { ProjectEvent } from '../../../lambdas/domain/project-events/project-event.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import type { CredentialOwner } from '../../../lambdas/domain/records/credentials/credential.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { ReportedWindow } from '../../../protocol/usage-windows.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { aPerson, type Person } from '../../support/project-members.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { aSubscription, streamOf } from '../events/event-records.js';

let table: Table;
let calls: CallCount;
let own: Invoke;
let inProject: Invoke;
let live: typeof import('../../../lambdas/streams/live.js').handler;
let owner: Person;
let other: Person;
const project = aProject();
const { projectId } = project;
const now = new Date();
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();

beforeAll(async () => {
  table = await emptyTable();
  Object.assign(process.env, functionEnv, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  own = await loadRoute('credentials/limits');
  inProject = await loadRoute('projects/credential-limits');
  ({ handler: live } = await import('../../../lambdas/streams/live.js'));
  calls = countCalls(table.client);
  [owner, other] = [await aPerson(table), await aPerson(table)];
  await putItem(table, projectItem(project));
  for (const { userId } of [owner, other]) {
    const member = { projectId, userId, role: 'maintainer', status: 'active', project } as const;
    await putItem(table, memberItem({ ...member, joinedAt: ago(60) }));
  }
});

/** A session of this person that got a credential of this owner. Returns how it reports. */
async function session({ userId }: Person, of: CredentialOwner, credentialId: string, inside = projectId) {
  const [agentSessionId, at] = [newId(), now.toISOString()];
  const { workspace, node } = await placedWorkspace(table, { userId, projectId: inside, status: 'running' });
  const { workspaceId } = workspace;
  const running = {
    agentSessionId,
    workspaceId,
    generation: 1,
    userId,
    projectId: inside,
    chatId: newId(),
  } as const;
  const more = { status: 'running', label: null, agentType: 'claude-code', stoppedAt: null } as const;
  await putItem(table, agentSessionItem({ ...running, ...more, createdAt: at, updatedAt: at }));
  const credential = { owner: of, provider: 'anthropic', generation: 1, credentialId } as const;
  const by = { workspaceId, agentSessionId, projectId: inside, now };
  await recordCredentialUse(table, credential as Parameters<typeof recordCredentialUse>[1], by);
  const reporter = { workspaceId, nodeId: node.nodeId, projectId: inside, agentSessionId, generation: 1 };
  const report = (windowType: ReportedWindow['windowType'], sample: object) =>
    recordUsage(table, reporter, {
      agentType: 'claude-code',
      rateLimits: [
        {
          ...{ windowType, provider: 'anthropic', source: 'claude-acp.rate_limit', status: 'allowed' },
          ...{ observedAt: ago(5), ...sample },
        },
      ],
      now,
    });
  return { agentSessionId, report };
}

async function ask(invoke: Invoke, { cookies }: Person, query: Record<string, string> = {}) {
  calls.reset();
  const reply = await invoke({ params: invoke === own ? {} : { projectId }, query, cookies });
  const file = invoke === own ? 'credentials/limits' : 'projects/credential-limits';
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudgetOf(file, 'GET'));
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  // The contract of the route checks the rest.
  return reply.body as { credentials: ReturnType<typeof limitsOf>; generatedAt: string };
}

const ids = ({ credentials }: { credentials: readonly { credentialId: string | null }[] }) =>
  credentials.map(({ credentialId }) => credentialId).toSorted();

describe('the limits of credentials', () => {
  let mine: Awaited<ReturnType<typeof session>>;
  let theirs: Awaited<ReturnType<typeof session>>;
  let shared: Awaited<ReturnType<typeof session>>;

  beforeAll(async () => {
    mine = await session(owner, { kind: 'user', id: owner.userId }, 'mine');
    theirs = await session(other, { kind: 'user', id: other.userId }, 'theirs');
    shared = await session(other, { kind: 'project', id: projectId }, 'shared');
    await mine.report('claude.seven_day', { windowMinutes: 10_080, utilizationPercent: 20 });
    await mine.report('claude.five_hour', { windowMinutes: 300, utilizationPercent: 91, resetsAt: ago(-60) });
    await theirs.report('claude.five_hour', { utilizationPercent: 50 });
    await shared.report('claude.five_hour', { status: 'allowed_warning' });
  });

  it('of a person have the worst level, and windows from the shortest', async () => {
    const { credentials, generatedAt } = await ask(own, owner);

    expect(credentials).toEqual([
      {
        ...{ credentialReference: 'cc_credentials:mine', credentialId: 'mine', credentialSource: 'user' },
        ...{ provider: 'anthropic', providerMode: null, agentType: 'claude-code', level: 'critical' },
        observedAt: ago(5),
        windows: [
          expect.objectContaining({ windowType: 'claude.five_hour', level: 'critical', resetsAt: ago(-60) }),
          expect.objectContaining({ windowType: 'claude.seven_day', level: 'ok', utilizationPercent: 20 }),
        ],
      },
    ]);
    expect(Date.parse(generatedAt)).not.toBeNaN();
  });

  it('in a project are the caller’s own and the shared ones, never those of another member', async () => {
    expect(ids(await ask(inProject, owner))).toEqual(['mine', 'shared']);
    expect(ids(await ask(inProject, other))).toEqual(['shared', 'theirs']);
  });

  it('can be narrowed to the credential of one agent session', async () => {
    const narrowed = async (person: Person, agentSessionId: string) =>
      ids(await ask(inProject, person, { agentSessionId }));

    expect(await narrowed(owner, mine.agentSessionId)).toEqual(['mine']);
    expect(await narrowed(owner, shared.agentSessionId)).toEqual(['shared']);
    expect(await narrowed(owner, theirs.agentSessionId)).toEqual([]);
    expect(await narrowed(owner, newId())).toEqual([]);
  });

  it('keep the level when a sample says nothing, and change it with the next', async () => {
    const level = async () => (await ask(own, other)).credentials[0]?.level;

    await theirs.report('claude.five_hour', { status: 'rejected', observedAt: ago(4) });
    expect(await level()).toBe('rejected');
    await theirs.report('claude.five_hour', { status: 'unknown', observedAt: ago(3) });
    expect(await level()).toBe('rejected');
    await theirs.report('claude.five_hour', { utilizationPercent: 80, observedAt: ago(4) });
    expect(await level(), 'older than the last').toBe('rejected');
    await theirs.report('claude.five_hour', { utilizationPercent: 10, observedAt: ago(2) });
    expect(await level()).toBe('ok');
  });

  it('refuse an id of a session that is none', async () => {
    const { status, body } = await inProject({
      ...{ params: { projectId }, query: { agentSessionId: 'x'.repeat(3_000) }, cookies: owner.cookies },
    });

    expect([status, body]).toMatchObject([400, { details: [{ field: 'query.agentSessionId' }] }]);
  });

  it('leave out a row that cannot be read', async () => {
    const person = await aPerson(table);
    const of = { kind: 'user', id: person.userId } as const;
    const { report } = await session(person, of, 'readable');
    await report('claude.five_hour', { utilizationPercent: 1 });
    await putItem(table, { pk: `USER#${person.userId}`, sk: 'USAGE#anthropic#broken', window: 7 });

    expect(ids({ credentials: limitsOf(await listUsage(table, of)) })).toEqual(['readable']);
  });

  it('name a long reference of a shared credential by its hash', async () => {
    const long = 'l'.repeat(60);
    const { report } = await session(owner, { kind: 'project', id: projectId }, long);
    await report('claude.seven_day', { utilizationPercent: 1 });

    const found = (await ask(inProject, other)).credentials.find(({ credentialId }) => credentialId === null);
    expect(found?.credentialReference).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.stringify(await ask(inProject, other))).not.toContain(long);
  });
});

describe('a change of level', () => {
  const eventsIn = async (of: string, deliveries: 1 | 2 = 1) => {
    const { Items = [] } = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: 'entity = :usage',
        ExpressionAttributeValues: { ':usage': 'credential-usage' },
        ConsistentRead: true,
      }),
    );
    const rows = Items.filter(({ credentialReference }) => credentialReference === `cc_credentials:${of}`);
    for (let delivery = 0; delivery < deliveries; delivery += 1)
      expect(
        await streamOf(
          live,
          rows.map((row) => [undefined, row] as const),
        ),
      ).toEqual({ batchItemFailures: [] });
    const { Items: events = [] } = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: 'entity = :event AND subject.id = :of',
        ExpressionAttributeValues: { ':event': 'project-event', ':of': `cc_credentials:${of}` },
        ConsistentRead: true,
      }),
    );
    return events
      .map((item) => ProjectEvent.parse(item))
      .toSorted((a, b) => a.occurredAt.localeCompare(b.occurredAt));
  };

  it('is an event when it rises, falls to warning, or returns to ok, once however often the stream repeats it', async () => {
    const inside = newId();
    const { report } = await session(owner, { kind: 'project', id: inside }, 'moving', inside);
    const samples = [70, 76, 91, 95, 'rejected', 92, 80, 79, 10] as const;
    for (const [index, sample] of samples.entries()) {
      const figures = sample === 'rejected' ? { status: sample } : { utilizationPercent: sample };
      await report('claude.five_hour', { ...figures, observedAt: ago(60 - index) });
      await eventsIn('moving', 2);
    }

    const events = await eventsIn('moving');
    expect(
      events.map(({ eventType, severity, metadata }) => [eventType, severity, metadata.previousLevel]),
    ).toEqual([
      ['credential.limit.warning', 'warning', 'ok'],
      ['credential.limit.critical', 'critical', 'warning'],
      ['credential.limit.rejected', 'critical', 'critical'],
      ['credential.limit.warning', 'warning', 'critical'],
      ['credential.limit.reset', 'notice', 'warning'],
    ]);
    for (const event of events)
      expect(event).toMatchObject({
        ...{ projectId: inside, source: 'svc.credential_limit', onlyForUserId: null, state: 'recorded' },
        deliveryKey: expect.stringMatching(/^credential-limit:[0-9a-f]{48}$/),
        subject: { type: 'credential', id: 'cc_credentials:moving' },
      });
  });

  it('of a person’s own credential goes to the projects of its sessions, and to nobody else there', async () => {
    const of = { kind: 'user', id: owner.userId } as const;
    const elsewhere = newId();
    const [here, there] = [await session(owner, of, 'own'), await session(owner, of, 'own', elsewhere)];
    await here.report('claude.seven_day_opus', { utilizationPercent: 1, observedAt: ago(9) });
    await there.report('claude.seven_day_opus', { utilizationPercent: 99, observedAt: ago(8) });

    const events = await eventsIn('own');

    expect(events.map((event) => event.projectId).toSorted()).toEqual([projectId, elsewhere].toSorted());
    const [event] = events;
    const asked = { filter: { version: 1, source: 'svc.credential_limit' }, projectId: elsewhere } as const;
    const follower = (userId: string) => Follower.parse(aSubscription({ ...asked, owner: { userId } }));
    if (!event) throw new Error('No event');
    expect([owner, other].map(({ userId }) => matches(event, follower(userId)))).toEqual([true, false]);
    const found = (userId: string) => findEvent(table, { projectId: event.projectId, userId }, event.eventId);
    expect(await found(owner.userId)).toEqual(event);
    await expect(found(other.userId)).rejects.toThrow('Event');
  });

  it('is decided once when two sessions report at the same time, and neither loses its window', async () => {
    const of = { kind: 'project', id: projectId } as const;
    const [one, two] = [await session(owner, of, 'raced'), await session(other, of, 'raced')];
    await Promise.all([
      one.report('claude.seven_day', { utilizationPercent: 80, observedAt: ago(3) }),
      two.report('claude.seven_day', { utilizationPercent: 81, observedAt: ago(2) }),
      two.report('claude.seven_day_sonnet', { utilizationPercent: 92, observedAt: ago(3) }),
    ]);

    const { credentials } = await ask(inProject, owner);
    const windows = credentials.find(({ credentialId }) => credentialId === 'raced')?.windows ?? [];
    expect(windows.map(({ windowType, utilizationPercent }) => [windowType, utilizationPercent])).toEqual(
      expect.arrayContaining([
        ['claude.seven_day', 81],
        ['claude.seven_day_sonnet', 92],
      ]),
    );
  });
});
