import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import {
  agentProfileKey,
  layerOf,
  type ProfileKind,
  ProfileOrSkill,
  skillKey,
} from '../profiles/profile-or-skill.js';
import { type Find, getItem, getItems, type Item } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { type LaunchLayer, type LaunchLayers, LaunchSettings, mergeSettings } from './launch-layer.js';
import { trustKeys } from './launch-trust.js';

export interface LaunchOf {
  readonly projectId: string;
  readonly userId: string;
  readonly profileId?: string | null | undefined;
  readonly skillId?: string | null | undefined;
}

type Named = Omit<LaunchOf, 'userId'>;

const profileAndSkillKeys = ({ projectId, profileId, skillId }: Named): readonly Key[] => [
  ...(profileId ? [agentProfileKey(projectId, profileId)] : []),
  ...(skillId ? [skillKey(projectId, skillId)] : []),
];

/** The records of the layers and of their trust, for a caller that reads them with others. */
export const launchKeys = ({ userId, ...named }: LaunchOf): readonly Key[] => [
  userSettingsKey(userId),
  ...profileAndSkillKeys(named),
  ...trustKeys({ userId, projectId: named.projectId }),
];

type Fields = Readonly<Record<ProfileKind, string>>;
const namedIn: Fields = { profile: 'agentProfileId', skill: 'skillId' };

/**
 * The layers that are records of their own. An error about a missing profile or skill names the
 * field in `fields`.
 *
 * @throws {InvalidRequest}
 */
export function loadedLayers(
  find: Find,
  { userId, ...named }: LaunchOf,
  fields: Fields = namedIn,
): Pick<LaunchLayers, 'profile' | 'skill' | 'user'> {
  return { ...profileAndSkillLayers(find, named, fields), user: userLayer(find(userSettingsKey(userId))) };
}

/**
 * Checks that the profile and the skill exist. One table call, or none when there is neither.
 *
 * @throws {InvalidRequest} it is not there
 */
export async function requireProfileAndSkill(table: Table, named: Named): Promise<void> {
  const keys = profileAndSkillKeys(named);
  if (keys.length > 0) profileAndSkillLayers(await getItems(table, keys), named, namedIn);
}

function profileAndSkillLayers(find: Find, { projectId, profileId, skillId }: Named, fields: Fields) {
  const layer = (kind: ProfileKind, key: Key) => {
    const found = find(key);
    if (!found) {
      const message = `The project has no such ${kind === 'profile' ? 'agent profile' : 'skill'}`;
      throw new InvalidRequest(message, [{ field: fields[kind], message }]);
    }
    return { [kind]: layerOf(ProfileOrSkill.parse(found)) };
  };
  return {
    ...(profileId ? layer('profile', agentProfileKey(projectId, profileId)) : {}),
    ...(skillId ? layer('skill', skillKey(projectId, skillId)) : {}),
  };
}

/** A person's defaults, weaker than those of project, profile and skill. */
const UserSettings = z.object({
  userId: Ulid,
  settings: LaunchSettings,
  updatedAt: z.iso.datetime(),
});

export const userSettingsKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'LAUNCH' });

/** One table call. */
export async function findUserSettings(table: Table, userId: string): Promise<LaunchSettings> {
  const key = userSettingsKey(userId);
  const item = await getItem(table, key);
  return item ? UserSettings.parse(item).settings : {};
}

export function userLayer(item: Item | undefined): LaunchLayer {
  if (!item) return {};
  const { userId, settings } = UserSettings.parse(item);
  return { ...settings, id: userId };
}

/** Replaces the settings. One table call. */
export async function storeUserSettings(
  table: Table,
  {
    userId,
    settings,
    now,
  }: { readonly userId: string; readonly settings: LaunchSettings; readonly now: Date },
): Promise<LaunchSettings> {
  const said = mergeSettings({}, settings);
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
