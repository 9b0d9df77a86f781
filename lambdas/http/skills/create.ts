// POST /api/projects/{projectId}/skills
import { createPreset } from '../../domain/profiles/create-preset.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { secretBox } from '../../edge/secret-box.js';
import { presetChange } from '../profiles/preset-change.js';
import { presetView } from '../profiles/preset-view.js';
import { create } from './contract.js';

export const handler = capabilityRoute(create, async ({ params, body, user, table, now, newId }) => {
  const { projectId } = params;
  const preset = await createPreset(
    { table, secrets: secretBox },
    {
      ...presetChange(body),
      kind: 'skill',
      presetId: newId(),
      projectId,
      name: body.name,
      description: body.description ?? null,
      createdBy: user.userId,
    },
    now,
  );
  const location = `/api/projects/${projectId}/skills/${preset.presetId}`;
  return { status: 201, body: presetView(preset), headers: { location } };
});
