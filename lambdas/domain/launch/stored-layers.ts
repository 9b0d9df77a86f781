import { InvalidRequest } from '../../shared/errors.js';
import { Preset, type PresetKind, presetLayer, profileKey, skillKey } from '../profiles/preset.js';
import type { Key } from '../records/changes.js';
import type { Find } from '../records/get-items.js';
import type { LaunchLayers } from './launch-layer.js';
import { userLayer, userSettingsKey } from './user-settings.js';

export interface LaunchOf {
  readonly projectId: string;
  readonly userId: string;
  readonly profileId?: string | null | undefined;
  readonly skillId?: string | null | undefined;
}

/** Records that a launch is made of, to be read along with whatever else its caller needs. */
export const launchKeys = ({ projectId, userId, profileId, skillId }: LaunchOf): readonly Key[] => [
  userSettingsKey(userId),
  ...(profileId ? [profileKey(projectId, profileId)] : []),
  ...(skillId ? [skillKey(projectId, skillId)] : []),
];

/**
 * The layers of a launch that are records of their own. `fields` says where in the request a profile or skill that does not
 * exist was named.
 *
 * @throws {InvalidRequest}
 */
export function storedLayers(
  find: Find,
  { projectId, userId, profileId, skillId }: LaunchOf,
  fields: Readonly<Record<PresetKind, string>> = { profile: 'body.agentProfileId', skill: 'body.skillId' },
): Pick<LaunchLayers, 'profile' | 'skill' | 'user'> {
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
    user: userLayer(find(userSettingsKey(userId))),
  };
}
