import { PresetNotFound } from '../../domain/profiles/errors.js';
import { Preset, type PresetKind, presetKey } from '../../domain/profiles/preset.js';
import type { ByCapability } from '../../edge/capability-route.js';
import type { Contract } from '../../edge/contract.js';
import { memberGate } from '../../edge/member-gate.js';
import { pathId } from '../../edge/path-id.js';
import { type Handle, type HttpHandler, type ReplyOf, route } from '../../edge/route.js';

const paramOf = { profile: 'profileId', skill: 'skillId' } as const satisfies Record<PresetKind, string>;

export type ByPreset = ByCapability & { readonly preset: Preset };

/** A route about one profile or skill of `{projectId}`, read together with who calls. One table call. */
export function presetRoute<C extends Contract, const Out extends ReplyOf<C>>(
  contract: C,
  kind: PresetKind,
  handle: Handle<C, ByPreset, Out>,
): HttpHandler {
  const gate = memberGate();
  return route(
    contract,
    async (event, call) => {
      const key = presetKey(kind, pathId(event, 'projectId'), pathId(event, paramOf[kind]));
      const member = await gate(event, call, [key]);
      const found = member.find(key);
      if (!found) throw new PresetNotFound(kind);
      return { ...member, preset: Preset.parse(found) };
    },
    handle,
  );
}
