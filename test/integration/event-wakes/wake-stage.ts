import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createSubscription } from '../../../lambdas/domain/event-subscriptions/create-subscription.js';
import { batchPrefix, EventBatch } from '../../../lambdas/domain/event-subscriptions/event-batch.js';
import { EventMatch, matchPrefix } from '../../../lambdas/domain/event-subscriptions/event-match.js';
import {
  EventSubscription,
  subscriptionKey,
  subscriptionPartition,
} from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import { matchEvent } from '../../../lambdas/domain/event-subscriptions/match-event.js';
import {
  newAgentSubscription,
  type SubscriptionRequest,
} from '../../../lambdas/domain/event-subscriptions/new-subscription.js';
import { sweepWakes } from '../../../lambdas/domain/event-wakes/follow-wakes.js';
import { type WakeDeps, wakeSubscription } from '../../../lambdas/domain/event-wakes/wake-subscription.js';
import { admitEvent } from '../../../lambdas/domain/project-events/admit-event.js';
import { newEvent, type ProjectEvent } from '../../../lambdas/domain/project-events/project-event.js';
import { Prompt, promptPrefix } from '../../../lambdas/domain/prompts/prompt.js';
import { getItem, type Item } from '../../../lambdas/domain/records/batch-items.js';
import type { Key } from '../../../lambdas/domain/records/changes.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { functionEnv } from '../../support/function-env.js';
import { lambdaContext } from '../../support/invoke.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { type Agent, type AgentOf, anAgent } from '../mcp/an-agent.js';

type Consumer = (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;

export const sha = 'c'.repeat(40);

/** Agents with subscriptions, the stream consumer, and the sweep, on a table of their own. */
export class WakeStage {
  private constructor(
    readonly table: Table,
    readonly queues: TestWakeUpQueues,
    private readonly consumer: Consumer,
    private readonly parts: Pick<WakeDeps, 'table' | 'wakeUpQueues' | 'log'>,
  ) {}

  static async start(): Promise<WakeStage> {
    const { name } = await emptyTable();
    Object.assign(process.env, functionEnv, { TABLE_NAME: name, PROJECT_EVENT_WAKE_ENABLED: 'true' });
    const queues = await TestWakeUpQueues.create();
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const { handler } = await import('../../../lambdas/streams/live.js');
    const { wakeUpQueues } = await import('../../../lambdas/edge/wake-up-queues.js');
    const { rootLog } = await import('../../../lambdas/shared/log.js');
    return new WakeStage(table, queues, handler, { table, wakeUpQueues, log: rootLog });
  }

  agent(of: AgentOf = {}): Promise<Agent> {
    return anAgent(this.table, new Date(), { task: {}, ...of });
  }

  async subscribe(
    { draft }: Agent,
    change: Partial<SubscriptionRequest> = {},
    more: Partial<EventSubscription> = {},
  ): Promise<EventSubscription> {
    const { projectId, chatSessionId: chatId, taskId, userId, agentSessionId } = draft;
    const now = new Date();
    const owner = {
      projectId,
      chatId,
      taskId,
      userId,
      agentSessionId,
      tokenEndsAt: now.getTime() + 8 * 60 * 60_000,
    };
    const request: SubscriptionRequest = {
      ...{ idempotencyKey: newId(), requestedDelivery: 'existing_session_prompt', target: {} },
      ...{ filter: { version: 1, source: 'github', subjectId: sha }, reason: null, expiresAt: null },
      ...change,
    };
    const made = newAgentSubscription(owner, request, { isWakeEnabled: true, now });
    return (await createSubscription(this.table, { ...made, ...more }, now)).subscription;
  }

  /** A failed check is recorded and matched, and no stream record is handled. */
  async failedCheck({ draft }: Agent): Promise<ProjectEvent> {
    const now = new Date();
    const content = {
      ...{ source: 'github', eventType: 'check_run.completed', subject: { type: 'commit', id: sha } },
      ...({ severity: 'error', deliveryKey: newId(), occurredAt: now.toISOString() } as const),
    };
    const { event } = await admitEvent(this.table, newEvent(draft.projectId, content, now), now);
    await matchEvent({ table: this.table, now, log: this.parts.log }, event);
    return event;
  }

  deps(now = new Date(), isEnabled = true): WakeDeps {
    return { ...this.parts, isEnabled, now, newId };
  }

  wake = (subscription: EventSubscription, now?: Date): Promise<boolean> =>
    wakeSubscription(this.deps(now), subscription);

  sweep = (now?: Date): Promise<void> => sweepWakes(this.deps(now));

  /** The consumer gets this change of the table. */
  async show(before: Item | undefined, after: Item | undefined): Promise<void> {
    const image = (item: Item | undefined) => item && marshall(item, { removeUndefinedValues: true });
    const dynamodb = { OldImage: image(before), NewImage: image(after), SequenceNumber: '1' };
    // The consumer reads nothing else of an event.
    const event = { Records: [{ eventID: newId(), dynamodb }] } as unknown as DynamoDBStreamEvent;
    const { batchItemFailures } = await this.consumer(event, lambdaContext);
    if (batchItemFailures.length > 0) throw new Error('The consumer failed');
  }

  async item(key: Key): Promise<Item> {
    const found = await getItem(this.table, key);
    if (!found) throw new Error(`No item ${key.pk} ${key.sk}`);
    return found;
  }

  subscription = async ({ subscriptionId }: EventSubscription): Promise<EventSubscription> =>
    EventSubscription.parse(await this.item(subscriptionKey(subscriptionId)));

  matches = async ({ subscriptionId }: EventSubscription): Promise<EventMatch[]> =>
    (await this.query(subscriptionPartition(subscriptionId), matchPrefix)).map((item) =>
      EventMatch.parse(item),
    );

  batches = async ({ subscriptionId }: EventSubscription): Promise<EventBatch[]> =>
    (await this.query(subscriptionPartition(subscriptionId), batchPrefix)).map((item) =>
      EventBatch.parse(item),
    );

  prompts = async ({ draft }: Agent): Promise<Prompt[]> =>
    (await this.query(`CHAT#${draft.chatSessionId}`, promptPrefix)).map((item) => Prompt.parse(item));

  private async query(pk: string, prefix: string): Promise<Item[]> {
    const { Items = [] } = await this.table.client.send(
      new QueryCommand({
        TableName: this.table.name,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
        ConsistentRead: true,
      }),
    );
    return Items;
  }
}
