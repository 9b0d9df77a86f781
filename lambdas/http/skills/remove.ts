// DELETE /api/projects/{projectId}/skills/{skillId}
import { deletePreset } from '../../domain/profiles/delete-preset.js';
import { presetRoute } from '../profiles/preset-route.js';
import { remove } from './contract.js';

export const handler = presetRoute(remove, 'skill', async ({ preset, table }) => {
  await deletePreset(table, preset);
  return { status: 200, body: { success: true } };
});
