import { whyReserved } from '../../../protocol/reserved-variables.js';
import { mergeSettings } from '../launch/launch-layer.js';
import { normalizeName } from '../projects/project.js';
import { recordAfter, recordChange } from '../records/record-change.js';
import { transact, type Write } from '../records/transact.js';
import type { SealedSecret, SecretBox } from '../secrets/sealed-secret.js';
import { type ProfileDeps, profileNameClaim } from './create-and-delete.js';
import {
  claimedBy,
  profileChanged,
  profileNameTaken,
  tooManyVariables,
  variableNotAllowed,
} from './errors.js';
import {
  maxVariables,
  type ProfileOrSkill,
  type ProfileSettings,
  profileKey,
  profileNameKey,
  variableContext,
} from './profile-or-skill.js';

interface ProfileChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly settings: ProfileSettings;
  readonly environment: EnvironmentChange;
  /** The version that the client has seen. Default: the version that was read. */
  readonly version?: number | undefined;
}

/**
 * Changes this version of a profile or a skill. One table call.
 *
 * @throws {profileChanged | profileNameTaken | tooManyVariables}
 */
export async function changeProfile(
  { table, secrets }: ProfileDeps,
  before: ProfileOrSkill,
  { change, now }: { readonly change: ProfileChange; readonly now: Date },
): Promise<ProfileOrSkill> {
  const { kind, projectId, profileId, version } = before;
  if (change.version !== undefined && change.version !== version) throw profileChanged(kind);
  const name = change.name ?? before.name;
  const set = {
    name,
    normalizedName: normalizeName(name),
    description: change.description,
    settings: mergeSettings(before.settings, change.settings),
    environment: await changeEnvironment(secrets, before, change.environment),
  };
  const after = recordAfter<ProfileOrSkill>(before, { set, now });
  const outcome = await transact(table, [
    {
      update: recordChange<ProfileOrSkill>(profileKey(kind, projectId, profileId), {
        set,
        when: { equals: { version } },
        now,
      }),
    },
    ...renaming(before, after),
  ]);
  if (outcome.committed) return after;
  const [present, claim] = outcome.refusals;
  throw present?.failed ? profileChanged(kind) : profileNameTaken(kind, claim && claimedBy(claim));
}

function renaming(before: ProfileOrSkill, after: ProfileOrSkill): readonly Write[] {
  if (before.normalizedName === after.normalizedName) return [];
  return [
    { put: profileNameClaim(after), when: { exists: false } },
    { delete: profileNameKey(before), when: {} },
  ];
}

/** By name: a new value, or null to remove the variable. Null removes all variables. */
export type EnvironmentChange = Readonly<Record<string, string | null>> | null;
/**
 * The variables of a profile after a change. Variables that are not named keep their values.
 *
 * @throws {tooManyVariables | variableNotAllowed}
 */
export async function changeEnvironment(
  secrets: SecretBox,
  profile: Pick<ProfileOrSkill, 'kind' | 'projectId' | 'profileId' | 'environment'>,
  change: EnvironmentChange,
): Promise<Record<string, SealedSecret>> {
  if (change === null) return {};
  const kept = Object.entries(profile.environment).filter(([name]) => change[name] === undefined);
  const given = Object.entries(change).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  for (const { name } of given) requireAllowed(name);
  if (kept.length + given.length > maxVariables) throw tooManyVariables();
  const sealed = await Promise.all(
    given.map(
      async ({ name, value }) => [name, await secrets.seal(value, variableContext(profile, name))] as const,
    ),
  );
  return Object.fromEntries([...kept, ...sealed]);
}

function requireAllowed(name: string): void {
  const why = whyReserved(name);
  if (why) throw variableNotAllowed(name, why);
}
