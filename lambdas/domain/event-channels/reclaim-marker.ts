import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { Channel } from './channel.js';
import { channelLimits } from './channel-limits.js';

/** Lets the sweep find channels by the time from which they may be reclaimed. */
export const ReclaimMarker = z.extend(z.pick(Channel, { projectId: true, name: true, channelId: true }), {
  dueAt: z.iso.datetime(),
});
export type ReclaimMarker = z.infer<typeof ReclaimMarker>;

const partition = 'CHANNELRECLAIM';

export const reclaimMarkerKey = ({ dueAt, channelId }: ReclaimMarker) => ({
  pk: partition,
  sk: `${dueAt}#${channelId}`,
});

/** When the last publication and the idle time after it have passed. */
export const reclaimableAt = ({ lastPublishedAt }: Pick<Channel, 'lastPublishedAt'>): Date =>
  new Date(Date.parse(lastPublishedAt) + channelLimits.retentionMs + channelLimits.idleMs);

export function reclaimItem(channel: Channel) {
  const { projectId, name, channelId } = channel;
  const marker = { projectId, name, channelId, dueAt: reclaimableAt(channel).toISOString() };
  return { ...reclaimMarkerKey(marker), entity: 'event-channel-reclaim', schemaVersion: 1, ...marker };
}

const perPass = 50;

/** The longest overdue first. One table call. */
export async function listReclaimable(table: Table, now: Date): Promise<readonly ReclaimMarker[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk < :now',
      ExpressionAttributeValues: { ':pk': partition, ':now': now.toISOString() },
      Limit: perPass,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => ReclaimMarker.parse(item));
}

export async function clearMarker(table: Table, marker: ReclaimMarker): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: reclaimMarkerKey(marker) }));
}
