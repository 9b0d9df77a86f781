import { catchUpChannel } from '../../../lambdas/domain/event-channels/catch-up.js';
import { channelHistory } from '../../../lambdas/domain/event-channels/channel-history.js';
import { findChannel } from '../../../lambdas/domain/event-channels/find-channel.js';
import { followChannel } from '../../../lambdas/domain/event-channels/follow-channel.js';
import { type Published, publish } from '../../../lambdas/domain/event-channels/publish.js';
import { agentOwnerId } from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { listEvents } from '../../../lambdas/domain/event-subscriptions/list-events.js';
import { followEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import { eventKey } from '../../../lambdas/domain/project-events/project-event.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

const anAgent = () => ({
  ...{ userId: newId(), taskId: newId(), chatSessionId: newId() },
  ...{ workspaceId: newId(), agentSessionId: newId() },
});
export type TestAgent = ReturnType<typeof anAgent>;

/** A channel of a new project, with functions for what agents and the stream do. */
export class TestChannel {
  readonly projectId = newId();
  readonly ref = { projectId: this.projectId, name: 'gates' };
  now = new Date();
  constructor(readonly table: Table) {}

  readonly agent = anAgent;

  publish(actor: TestAgent, message = 'Paint it', key = newId()): Promise<Published> {
    const draft = { ...this.ref, message, actor, idempotencyKey: key };
    return publish(this.table, { draft, newId, now: this.now });
  }

  /** What the consumer of the table's stream does with the insert of the event. */
  async consume({ event }: Pick<Published, 'event'>): Promise<void> {
    const key = eventKey(event.eventId);
    const after = await getItem(this.table, key);
    await followEvent({ table: this.table, now: this.now, log: silent }, { before: undefined, after });
  }

  follow(agent: TestAgent, asked: { cursor?: string; key?: string; wakes?: true } = {}) {
    const { cursor, key: idempotencyKey = newId(), wakes } = asked;
    const { projectId, name } = this.ref;
    const { chatSessionId: chatId, taskId, userId, agentSessionId } = agent;
    const tokenEndsAt = this.now.getTime() + 8 * 60 * 60_000;
    return followChannel(
      this.table,
      {
        owner: { projectId, chatId, taskId, userId, agentSessionId, tokenEndsAt },
        ...{ name, cursor, idempotencyKey, reason: null, expiresAt: null },
        requestedDelivery: wakes ? 'existing_session_prompt' : 'record_only',
      },
      { isWakeEnabled: true, now: this.now },
    );
  }

  catchUp(agent: TestAgent, subscriptionId: string, limit = 40) {
    const ownerId = agentOwnerId(this.projectId, agent.chatSessionId);
    const { projectId, now } = this;
    return catchUpChannel(this.table, { projectId, ownerId, subscriptionId, limit, now });
  }

  async history(cursor?: string, limit = 200) {
    const channel = await findChannel(this.table, this.ref);
    return channelHistory(this.table, channel, { cursor, limit, maxBytes: 10 ** 6, now: this.now });
  }

  /** The sequences of the events of a subscription, in their order. */
  async sequences(subscriptionId: string): Promise<readonly number[]> {
    const { events } = await listEvents(this.table, subscriptionId, { limit: 500 });
    return events.map(({ event }) => Number(event.metadata.sequence));
  }
}
