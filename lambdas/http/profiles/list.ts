// GET /api/projects/{projectId}/agent-profiles
import { listPresets } from '../../domain/profiles/list-presets.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';
import { presetView } from './preset-view.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { presets, nextCursor } = await listPresets(
    table,
    { kind: 'profile', projectId: params.projectId },
    { ...query, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { profiles: presets.map(presetView), nextCursor } };
});
