import { PresetNotFound } from '../../domain/profiles/errors.js';
import { Preset, type PresetKind, presetKey } from '../../domain/profiles/preset.js';
import type { ByCapability } from '../../edge/capability-route.js';
import { recordRoute } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { pathId } from '../../edge/parse-request.js';
import type { Handle, HttpHandler, ReplyOf } from '../../edge/route.js';

const paramOf = { profile: 'profileId', skill: 'skillId' } as const satisfies Record<PresetKind, string>;

export type ByPreset = ByCapability & { readonly preset: Preset };

/** A route about one profile or skill of `{projectId}`, read together with who calls. One table call. */
export function presetRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  kind: PresetKind,
  handle: Handle<C, ByPreset, Out>,
): HttpHandler {
  return recordRoute(
    contract,
    {
      keys: (event) => [presetKey(kind, pathId(event, 'projectId'), pathId(event, paramOf[kind]))],
      read: (found) => {
        if (!found) throw new PresetNotFound(kind);
        return { preset: Preset.parse(found) };
      },
    },
    handle,
  );
}
