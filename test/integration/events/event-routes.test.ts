import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acknowledgeDelivery } from '../../../lambdas/domain/event-subscriptions/acknowledge-delivery.js';
import { matchIdOf } from '../../../lambdas/domain/event-subscriptions/event-match.js';
import {
  type EventSubscription,
  subscriptionItem,
} from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { matchEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { TestRequest } from '../../support/invoke.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { putItem } from '../../support/project.js';
import { aPerson, memberOf, type Person, projectOf } from '../../support/project-members.js';
import { anEvent, readSubscription, subscribe } from './event-records.js';

let routes: LoadedRoutes;
let table: Table;
let project: Project;
let me: Person;
let subscription: EventSubscription;

const hour = 60 * 60_000;

beforeAll(async () => {
  routes = await loadRoutes(
    ['list', 'get', 'deliveries', 'cancel'].map((name) => `event-subscriptions/${name}`),
  );
  ({ table } = routes);
});

beforeEach(async () => {
  me = await aPerson(table);
  project = await projectOf(table, me);
  subscription = await subscribe(table, { projectId: project.projectId, reason: 'Watch' });
});

const call = (name: string, { person = me, params, ...more }: TestRequest & { person?: Person } = {}) => {
  const ids = {
    projectId: project.projectId,
    ...(name === 'list' ? {} : { subscriptionId: subscription.subscriptionId }),
  };
  return routes.call(`event-subscriptions/${name}`, {
    ...{ cookies: person.cookies, params: { ...ids, ...params } },
    ...more,
  });
};

const listed = async (query: Record<string, string> = {}) => {
  const { body } = await call('list', { query });
  const { subscriptions, hasMore } = body as {
    subscriptions: { id: string; state: string }[];
    hasMore: boolean;
  };
  return { ids: subscriptions.map(({ id }) => id), states: subscriptions.map(({ state }) => state), hasMore };
};

describe('the subscriptions of a project', () => {
  it('are listed by state and session, the newest first', async () => {
    const { projectId } = project;
    const now = new Date(Date.now() - hour);
    const old = await subscribe(table, { projectId, now, expiresAt: Date.now() - 1 });
    const newest = await subscribe(table, { projectId, now: new Date(Date.now() + 1_000) });
    await call('cancel', { body: {} });
    const [a, b, c] = [subscription, old, newest].map(({ subscriptionId }) => subscriptionId);

    expect(await listed()).toEqual({ ids: [c], states: ['active'], hasMore: false });
    expect(await listed({ state: 'expired' })).toEqual({ ids: [b], states: ['expired'], hasMore: false });
    expect(await listed({ state: 'cancelled' })).toMatchObject({ ids: [a] });
    expect((await listed({ state: 'any' })).ids.toSorted()).toEqual([a, b, c].toSorted());
    expect(await listed({ state: 'any', limit: '1' })).toMatchObject({ ids: [c], hasMore: true });
    const sessionId = String(newest.ownerChatId);
    expect(await listed({ state: 'any', sessionId })).toMatchObject({ ids: [c] });
    expect(await listed({ sessionId: newId() })).toMatchObject({ ids: [] });
  });

  it.each([
    ['list', { states: 'any' }],
    ['list', { state: 'old' }],
    ['list', { limit: '201' }],
    ['list', { sessionId: 'mine' }],
    ['get', { full: 'true' }],
    ['deliveries', { cursor: 'x' }],
  ])('%s refuses the query %o', async (name, query) => {
    const { status, body } = await call(name, { query });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'BAD_REQUEST' });
  });

  it('shows its owner, filter and delivery, and not the key of its owner', async () => {
    const { status, body } = await call('get');
    expect(status).toBe(200);
    const { subscription: shown } = body as { subscription: object };
    expect(shown).toMatchObject({
      ...{ id: subscription.subscriptionId, owner: subscription.owner, reason: 'Watch', state: 'active' },
      ...{ createdAt: Date.parse(subscription.createdAt), expiresAt: Date.parse(subscription.endsAt) },
      deliveryPreference: { requested: 'record_only', resolved: 'record_only' },
    });
    expect(shown).not.toHaveProperty('idempotencyKey');
  });

  it('is unknown to others, and in another project', async () => {
    const outsider = await aPerson(table);
    const names = { name: 'Else', normalizedName: 'else', repository: 'octo/else', githubRepoId: '2' };
    const elsewhere = await projectOf(table, me, names);
    for (const name of ['get', 'deliveries', 'cancel']) {
      expect(await call(name, { person: outsider })).toMatchObject({ status: 404 });
      const { projectId } = elsewhere;
      expect(await call(name, { params: { projectId } })).toMatchObject({ status: 404 });
    }
    expect(await call('list', { person: outsider })).toMatchObject({ status: 404 });
    expect(await readSubscription(table, subscription)).toEqual(subscription);
  });
});

describe('the deliveries of a subscription', () => {
  it('are the newest first, with their acknowledgement', async () => {
    const { projectId } = project;
    const events = [anEvent(projectId), anEvent(projectId)];
    for (const event of events)
      await matchEvent({ table, now: new Date(event.receivedAt), log: rootLog }, event);
    const [first, second] = events.map(({ eventId }) => matchIdOf(subscription.subscriptionId, eventId));
    const ownerId = subscription.owner.id;
    await acknowledgeDelivery(table, { ownerId, deliveryId: String(first), now: new Date() });

    const { body } = await call('deliveries');
    expect(body).toMatchObject({ deliveries: expect.any(Array), hasMore: false });
    const { deliveries } = body as { deliveries: { id: string; state: string }[] };
    const byId = new Map(deliveries.map((each) => [each.id, each]));
    expect(byId.get(String(first))).toMatchObject({
      ...{ state: 'acked', deliveryChannel: 'pull', deliveredVia: 'pull', ackedAt: expect.any(Number) },
    });
    expect(byId.get(String(second))).toMatchObject({
      ...{ state: 'pending', deliveredVia: null, deliveredAt: null, ackedAt: null, terminalAt: null },
    });
    expect((await call('deliveries', { query: { limit: '1' } })).body).toMatchObject({ hasMore: true });
  });
});

describe('a cancellation', () => {
  it('needs the right to write, and names who did it', async () => {
    const viewer = await memberOf(table, project, 'viewer');
    expect(await call('cancel', { person: viewer, body: {} })).toMatchObject({ status: 403 });
    expect(await call('get', { person: viewer })).toMatchObject({ status: 200 });

    const { status, body } = await call('cancel', { body: { reason: 'Too noisy' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ changed: true, idempotent: false },
      subscription: {
        ...{ state: 'cancelled', cancelReason: 'Too noisy', cancelledAt: expect.any(Number) },
        cancelledBy: { type: 'human', id: me.userId },
      },
    });
    expect((await call('cancel')).body).toMatchObject({
      ...{ changed: false, idempotent: true, subscription: { cancelReason: 'Too noisy' } },
    });
  });

  it('happens once when members race', async () => {
    const replies = await Promise.all(
      [1, 2, 3].map(() =>
        routes.send('event-subscriptions/cancel', {
          cookies: me.cookies,
          params: { projectId: project.projectId, subscriptionId: subscription.subscriptionId },
          body: {},
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const changed = replies.filter(({ body }) => (body as { changed: boolean }).changed);
    expect(changed).toHaveLength(1);
  });

  it.each(['system', 'policy', 'standing_watch'] as const)('is refused for one of a %s', async (type) => {
    const owned = { ...subscription, owner: { type, id: 'service' } };
    await putItem(table, subscriptionItem(owned));
    expect(await call('cancel', { body: {} })).toMatchObject({
      ...{ status: 403, body: { error: 'EVENT_SUBSCRIPTION_NOT_CANCELLABLE' } },
    });
    expect(await readSubscription(table, subscription)).toEqual(owned);
  });

  it.each([[{ reason: '' }], [{ reason: 'ä'.repeat(513) }], [{ why: 'x' }]])(
    'refuses the body %o',
    async (body) => {
      expect(await call('cancel', { body })).toMatchObject({ status: 400 });
      expect(await readSubscription(table, subscription)).toMatchObject({ state: 'active' });
    },
  );
});
