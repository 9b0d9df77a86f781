import { createPreset } from '../../domain/profiles/create-preset.js';
import type { PresetKind } from '../../domain/profiles/preset.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import type { HttpHandler } from '../../edge/route.js';
import { secretBox } from '../../edge/secret-box.js';
import { presetChange } from './preset-change.js';
import type { presetContracts } from './preset-contracts.js';
import { presetView } from './preset-view.js';

const segments = { profile: 'agent-profiles', skill: 'skills' } as const satisfies Record<PresetKind, string>;

/** The route that creates a profile, or a skill. */
export function presetCreation(
  contract: ReturnType<typeof presetContracts>['create'],
  kind: PresetKind,
): HttpHandler {
  return capabilityRoute(contract, async ({ params, body, user, table, now, newId }) => {
    const { projectId } = params;
    const preset = await createPreset(
      { table, secrets: secretBox },
      {
        ...presetChange(body),
        kind,
        presetId: newId(),
        projectId,
        name: body.name,
        description: body.description ?? null,
        createdBy: user.userId,
      },
      now,
    );
    const location = `/api/projects/${projectId}/${segments[kind]}/${preset.presetId}`;
    return { status: 201, body: presetView(preset), headers: { location } };
  });
}
