// PATCH /api/projects/{projectId}/agent-profiles/{profileId}
import { changePreset } from '../../domain/profiles/change-preset.js';
import { secretBox } from '../../edge/secret-box.js';
import { change } from './contract.js';
import { presetChange } from './preset-change.js';
import { presetRoute } from './preset-route.js';
import { presetView } from './preset-view.js';

export const handler = presetRoute(change, 'profile', async ({ body, preset, table, now }) => {
  const wanted = { ...presetChange(body), name: body.name, version: body.version };
  const changed = await changePreset({ table, secrets: secretBox }, preset, { change: wanted, now });
  return { status: 200, body: presetView(changed) };
});
