import type { Table } from '../../shared/table.js';
import { changeSettings } from '../launch/change-settings.js';
import { normalizeName, projectKey } from '../projects/project.js';
import { transact } from '../records/transact.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import { changeEnvironment, type EnvironmentChange } from './change-environment.js';
import { PresetLimitReached, PresetNameTaken } from './errors.js';
import { maxPresets, type Preset, presetCount, presetItem, presetNameKey } from './preset.js';

export interface PresetParts {
  readonly table: Table;
  readonly secrets: SecretBox;
}

export type PresetDraft = Pick<
  Preset,
  'kind' | 'presetId' | 'projectId' | 'name' | 'description' | 'settings' | 'createdBy'
> & { readonly environment: EnvironmentChange };

/**
 * Writes a profile or a skill, its claim on its name, and the project's count of them. One table call.
 *
 * @throws {PresetNameTaken | PresetLimitReached | TooManyVariables}
 */
export async function createPreset(
  { table, secrets }: PresetParts,
  draft: PresetDraft,
  now: Date,
): Promise<Preset> {
  const { kind, projectId } = draft;
  const at = now.toISOString();
  const preset: Preset = {
    ...draft,
    normalizedName: normalizeName(draft.name),
    settings: changeSettings({}, draft.settings),
    environment: await changeEnvironment(secrets, { ...draft, environment: {} }, draft.environment),
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  const outcome = await transact(table, [
    { put: presetNameClaim(preset), when: { exists: false } },
    {
      update: {
        key: projectKey(projectId),
        add: { [presetCount[kind]]: 1 },
        when: { exists: true, absentOrBefore: { [presetCount[kind]]: maxPresets } },
      },
    },
    { put: presetItem(preset), when: { exists: false } },
  ]);
  if (outcome.committed) return preset;
  throw outcome.refusals[0]?.failed ? new PresetNameTaken(kind) : new PresetLimitReached(kind);
}

export const presetNameClaim = (preset: Preset) => ({
  ...presetNameKey(preset),
  entity: `${preset.kind}-name`,
  schemaVersion: 1,
  presetId: preset.presetId,
});
