import { InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { Preset, type PresetKind, presetLayer, profileKey, skillKey } from '../profiles/preset.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import type { LaunchLayers } from './launch-layer.js';
import { userLayer, userSettingsKey } from './user-settings.js';

export interface LaunchOf {
  readonly projectId: string;
  readonly userId: string;
  readonly profileId?: string | null | undefined;
  readonly skillId?: string | null | undefined;
}

type Named = Omit<LaunchOf, 'userId'>;

const presetKeys = ({ projectId, profileId, skillId }: Named): readonly Key[] => [
  ...(profileId ? [profileKey(projectId, profileId)] : []),
  ...(skillId ? [skillKey(projectId, skillId)] : []),
];

/** Records that a launch is made of, to be read along with whatever else its caller needs. */
export const launchKeys = ({ userId, ...named }: LaunchOf): readonly Key[] => [
  userSettingsKey(userId),
  ...presetKeys(named),
];

type Fields = Readonly<Record<PresetKind, string>>;
const namedIn: Fields = { profile: 'agentProfileId', skill: 'skillId' };

/**
 * The layers of a launch that are records of their own. `fields` says where a profile or skill that does not exist was named.
 *
 * @throws {InvalidRequest}
 */
export function storedLayers(
  find: Find,
  { userId, ...named }: LaunchOf,
  fields: Fields = namedIn,
): Pick<LaunchLayers, 'profile' | 'skill' | 'user'> {
  return { ...presetLayers(find, named, fields), user: userLayer(find(userSettingsKey(userId))) };
}

/**
 * For what names a profile or a skill for later. One table call, or none where it names nothing.
 *
 * @throws {InvalidRequest} it is not there
 */
export async function requirePresets(table: Table, named: Named): Promise<void> {
  const keys = presetKeys(named);
  if (keys.length > 0) presetLayers(await getItems(table, keys), named, namedIn);
}

function presetLayers(find: Find, { projectId, profileId, skillId }: Named, fields: Fields) {
  const layer = (kind: PresetKind, key: Key) => {
    const found = find(key);
    if (!found) {
      const message = `The project has no such ${kind === 'profile' ? 'agent profile' : 'skill'}`;
      throw new InvalidRequest(message, [{ field: fields[kind], message }]);
    }
    return { [kind]: presetLayer(Preset.parse(found)) };
  };
  return {
    ...(profileId ? layer('profile', profileKey(projectId, profileId)) : {}),
    ...(skillId ? layer('skill', skillKey(projectId, skillId)) : {}),
  };
}
