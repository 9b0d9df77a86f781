import { changeSettings } from '../launch/change-settings.js';
import { normalizeName } from '../projects/project.js';
import { transact, type Write } from '../records/transact.js';
import { changeEnvironment, type EnvironmentChange } from './change-environment.js';
import { type PresetParts, presetNameClaim } from './create-preset.js';
import { PresetChanged, PresetNameTaken } from './errors.js';
import { type Preset, type PresetSettings, presetKey, presetNameKey } from './preset.js';

export interface PresetChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly settings: PresetSettings;
  readonly environment: EnvironmentChange;
  /** The one the client has seen; without it, the one that was read. */
  readonly version?: number | undefined;
}

/**
 * Changes a profile or a skill, if it still is what was read. One table call.
 *
 * @throws {PresetChanged | PresetNameTaken | TooManyVariables}
 */
export async function changePreset(
  { table, secrets }: PresetParts,
  before: Preset,
  { change, now }: { readonly change: PresetChange; readonly now: Date },
): Promise<Preset> {
  const { kind, projectId, presetId, version } = before;
  if (change.version !== undefined && change.version !== version) throw new PresetChanged(kind);
  const name = change.name ?? before.name;
  const after: Preset = {
    ...before,
    name,
    normalizedName: normalizeName(name),
    description: change.description === undefined ? before.description : change.description,
    settings: changeSettings(before.settings, change.settings),
    environment: await changeEnvironment(secrets, before, change.environment),
    version: version + 1,
    updatedAt: now.toISOString(),
  };
  const { normalizedName, description, settings, environment, updatedAt } = after;
  const outcome = await transact(table, [
    {
      update: {
        key: presetKey(kind, projectId, presetId),
        set: { name, normalizedName, description, settings, environment, updatedAt, version: after.version },
        when: { equals: { version } },
      },
    },
    ...renaming(before, after),
  ]);
  if (outcome.committed) return after;
  throw outcome.refusals[0]?.failed ? new PresetChanged(kind) : new PresetNameTaken(kind);
}

function renaming(before: Preset, after: Preset): readonly Write[] {
  if (before.normalizedName === after.normalizedName) return [];
  return [
    { put: presetNameClaim(after), when: { exists: false } },
    { delete: presetNameKey(before), when: {} },
  ];
}
