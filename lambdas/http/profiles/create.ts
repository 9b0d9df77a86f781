// POST /api/projects/{projectId}/agent-profiles
import { createPreset } from '../../domain/profiles/create-preset.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { secretBox } from '../../edge/secret-box.js';
import { create } from './contract.js';
import { presetChange } from './preset-change.js';
import { presetView } from './preset-view.js';

export const handler = capabilityRoute(create, async ({ params, body, user, table, now, newId }) => {
  const { projectId } = params;
  const preset = await createPreset(
    { table, secrets: secretBox },
    {
      ...presetChange(body),
      kind: 'profile',
      presetId: newId(),
      projectId,
      name: body.name,
      description: body.description ?? null,
      createdBy: user.userId,
    },
    now,
  );
  const location = `/api/projects/${projectId}/agent-profiles/${preset.presetId}`;
  return { status: 201, body: presetView(preset), headers: { location } };
});
