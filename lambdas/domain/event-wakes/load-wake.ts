import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { maxEventsPerBatch } from '../event-subscriptions/event-batch.js';
import { EventMatch, matchSk } from '../event-subscriptions/event-match.js';
import {
  EventSubscription,
  subscriptionKey,
  subscriptionPartition,
} from '../event-subscriptions/event-subscription.js';
import { mayNow } from '../policy/allow.js';
import { memberKey } from '../projects/member.js';
import { projectKey } from '../projects/project.js';
import { getItems } from '../records/batch-items.js';
import { Task, taskKey } from '../tasks/task.js';
import { isSuspended, userKey } from '../users/user.js';
import type { WakeSituation } from './plan-wake.js';
import { WakeTarget, wakeTargetKey } from './wake-target.js';

export interface LoadedWake extends WakeSituation {
  /** The sequence up to which matches were read. */
  readonly readThrough: number;
}

/**
 * A subscription and all that decides about its wake. Undefined when its retention has ended. Two
 * table calls.
 */
export async function loadWake(table: Table, seen: EventSubscription): Promise<LoadedWake | undefined> {
  const keys = keysOf(seen);
  const find = await getItems(
    table,
    Object.values(keys).filter((key) => key !== undefined),
  );
  const item = (name: keyof typeof keys) => keys[name] && find(keys[name]);
  const found = item('subscription');
  if (!found) return undefined;
  const subscription = EventSubscription.parse(found);
  const [chat, target, task] = [item('chat'), item('target'), item('task')];
  const authority = { project: item('project'), member: item('member') };
  const isOwnTask = task !== undefined && Task.parse(task).userId === seen.ownerUserId;
  return {
    subscription,
    ...(await readOpenMatches(table, subscription)),
    chat: chat && Chat.parse(chat),
    target: target && WakeTarget.parse(target),
    isAllowed: isOwnTask && !isSuspended(item('person')) && mayNow('chat.prompt', authority),
  };
}

function keysOf({ subscriptionId, projectId, ownerChatId, ownerTaskId, ownerUserId }: EventSubscription) {
  // Without one of them it is not eligible, and nothing else is looked at.
  const isAgent = ownerChatId !== null && ownerTaskId !== null && ownerUserId !== null;
  return {
    subscription: subscriptionKey(subscriptionId),
    project: projectKey(projectId),
    chat: isAgent ? chatKey(ownerChatId) : undefined,
    target: isAgent ? wakeTargetKey(ownerChatId) : undefined,
    task: isAgent ? taskKey(projectId, ownerTaskId) : undefined,
    person: isAgent ? userKey(ownerUserId) : undefined,
    member: isAgent ? memberKey(projectId, ownerUserId) : undefined,
  };
}

/** The next matches that wait, at most as many as a batch holds, oldest first. */
async function readOpenMatches(table: Table, { subscriptionId, wakeThrough = 0 }: EventSubscription) {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :subscription AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':subscription': subscriptionPartition(subscriptionId),
        ':first': matchSk(wakeThrough + 1),
        ':last': matchSk(999_999_999_999),
      },
      ConsistentRead: true,
      Limit: maxEventsPerBatch,
    }),
  );
  const read = Items.map((item) => EventMatch.parse(item));
  const isOpen = ({ state, acknowledgedAt }: EventMatch) => state === 'matched' && acknowledgedAt === null;
  return { matches: read.filter(isOpen), readThrough: read.at(-1)?.sequence ?? wakeThrough };
}
