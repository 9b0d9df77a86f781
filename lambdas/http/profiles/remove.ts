// DELETE /api/projects/{projectId}/agent-profiles/{profileId}
import { deletePreset } from '../../domain/profiles/delete-preset.js';
import { remove } from './contract.js';
import { presetRoute } from './preset-route.js';

export const handler = presetRoute(remove, 'profile', async ({ preset, table }) => {
  await deletePreset(table, preset);
  return { status: 200, body: { success: true } };
});
