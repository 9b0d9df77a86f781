import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { getItems, type Item } from '../records/batch-items.js';
import { changeSettings } from './change-settings.js';
import { type LaunchLayer, LaunchSettings } from './launch-layer.js';

/** How a person wants their agents to be, where a project and its profiles say nothing. */
export const UserSettings = z.object({
  userId: Ulid,
  settings: LaunchSettings,
  updatedAt: z.iso.datetime(),
});

export const userSettingsKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'LAUNCH' });

/** One table call. */
export async function findUserSettings(table: Table, userId: string): Promise<LaunchSettings> {
  const key = userSettingsKey(userId);
  const item = (await getItems(table, [key]))(key);
  return item ? UserSettings.parse(item).settings : {};
}

export function userLayer(item: Item | undefined): LaunchLayer {
  if (!item) return {};
  const { userId, settings } = UserSettings.parse(item);
  return { ...settings, id: userId };
}

/** In the place of what was there. One table call. */
export async function storeUserSettings(
  table: Table,
  {
    userId,
    settings,
    now,
  }: { readonly userId: string; readonly settings: LaunchSettings; readonly now: Date },
): Promise<LaunchSettings> {
  const said = changeSettings({}, settings);
  const item = {
    ...userSettingsKey(userId),
    entity: 'user-settings',
    schemaVersion: 1,
    userId,
    settings: said,
    updatedAt: now.toISOString(),
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
  return said;
}
