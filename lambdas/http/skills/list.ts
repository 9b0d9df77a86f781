// GET /api/projects/{projectId}/skills
import { listPresets } from '../../domain/profiles/list-presets.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { presetView } from '../profiles/preset-view.js';
import { list } from './contract.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { presets, nextCursor } = await listPresets(
    table,
    { kind: 'skill', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { skills: presets.map(presetView), nextCursor } };
});
