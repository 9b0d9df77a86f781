// PATCH /api/projects/{projectId}/skills/{skillId}
import { changePreset } from '../../domain/profiles/change-preset.js';
import { secretBox } from '../../edge/secret-box.js';
import { presetChange } from '../profiles/preset-change.js';
import { presetRoute } from '../profiles/preset-route.js';
import { presetView } from '../profiles/preset-view.js';
import { change } from './contract.js';

export const handler = presetRoute(change, 'skill', async ({ body, preset, table, now }) => {
  const wanted = { ...presetChange(body), name: body.name, version: body.version };
  const changed = await changePreset({ table, secrets: secretBox }, preset, { change: wanted, now });
  return { status: 200, body: presetView(changed) };
});
