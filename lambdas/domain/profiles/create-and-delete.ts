import type { Table } from '../../shared/table.js';
import { mergeSettings } from '../launch/launch-layer.js';
import { normalizeName, projectKey } from '../projects/project.js';
import { getItem } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { changeEnvironment, type EnvironmentChange } from './change-profile.js';
import { claimedBy, profileChanged, profileLimitReached, profileNameTaken } from './errors.js';
import {
  maxProfilesOfKind,
  ProfileOrSkill,
  profileCountField,
  profileItem,
  profileKey,
  profileNameKey,
} from './profile-or-skill.js';

export interface ProfileDeps {
  readonly table: Table;
  readonly secrets: SecretBox;
}

export type ProfileDraft = Pick<
  ProfileOrSkill,
  'kind' | 'profileId' | 'projectId' | 'name' | 'description' | 'settings' | 'createdBy'
> & { readonly environment: EnvironmentChange };

/** One table call. */
export async function findProfile(table: Table, key: Key): Promise<ProfileOrSkill | undefined> {
  const found = await getItem(table, key);
  return found && ProfileOrSkill.parse(found);
}

/**
 * Writes a profile or a skill, its claim on its name, and the project's count of them. One table
 * call.
 *
 * @throws {profileNameTaken | profileLimitReached | tooManyVariables}
 */
export async function createProfile(
  { table, secrets }: ProfileDeps,
  draft: ProfileDraft,
  now: Date,
): Promise<ProfileOrSkill> {
  const { kind, projectId } = draft;
  const at = now.toISOString();
  const profile: ProfileOrSkill = {
    ...draft,
    normalizedName: normalizeName(draft.name),
    settings: mergeSettings({}, draft.settings),
    environment: await changeEnvironment(secrets, { ...draft, environment: {} }, draft.environment),
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  const outcome = await transact(table, [
    { put: profileNameClaim(profile), when: { exists: false } },
    {
      update: {
        key: projectKey(projectId),
        add: { [profileCountField[kind]]: 1 },
        when: { exists: true, absentOrBefore: { [profileCountField[kind]]: maxProfilesOfKind } },
      },
    },
    { put: profileItem(profile), when: { exists: false } },
  ]);
  if (outcome.committed) return profile;
  const [name] = outcome.refusals;
  throw name?.failed ? profileNameTaken(kind, claimedBy(name)) : profileLimitReached(kind);
}

export const profileNameClaim = (profile: ProfileOrSkill) => ({
  ...profileNameKey(profile),
  entity: `${profile.kind}-name`,
  schemaVersion: 1,
  profileId: profile.profileId,
});

/**
 * Deletes this version of a profile or a skill. Tasks that were submitted with it keep their
 * settings, except the values of its variables. One table call.
 *
 * @throws {profileChanged}
 */
export async function deleteProfile(table: Table, profile: ProfileOrSkill): Promise<void> {
  const { kind, projectId, profileId, version } = profile;
  const outcome = await transact(table, [
    { delete: profileKey(kind, projectId, profileId), when: { equals: { version } } },
    { delete: profileNameKey(profile), when: {} },
    {
      update: { key: projectKey(projectId), add: { [profileCountField[kind]]: -1 }, when: { exists: true } },
    },
  ]);
  if (!outcome.committed) throw profileChanged(kind);
}
