import type { Table } from '../../shared/table.js';
import { projectKey } from '../projects/project.js';
import { transact } from '../records/transact.js';
import { PresetChanged } from './errors.js';
import { type Preset, presetCount, presetKey, presetNameKey } from './preset.js';

/**
 * Deletes a profile or a skill, if it still is what was read. Tasks that were started with it keep what they were started
 * with, but for values of its variables. One table call.
 *
 * @throws {PresetChanged}
 */
export async function deletePreset(table: Table, preset: Preset): Promise<void> {
  const { kind, projectId, presetId, version } = preset;
  const outcome = await transact(table, [
    { delete: presetKey(kind, projectId, presetId), when: { equals: { version } } },
    { delete: presetNameKey(preset), when: {} },
    { update: { key: projectKey(projectId), add: { [presetCount[kind]]: -1 }, when: { exists: true } } },
  ]);
  if (!outcome.committed) throw new PresetChanged(kind);
}
