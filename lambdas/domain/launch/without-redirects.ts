import type { AgentType } from '../../../protocol/agent-sessions.js';
import { type LaunchLayer, type LaunchLayers, layerNames } from './launch-layer.js';
import type { IgnoredSetting, ResolvedLaunch } from './resolve-launch.js';
import { isShared, type Redirect, redirectsOf } from './shared-rules.js';

type Settings = Readonly<Record<string, unknown>>;

/** The layers without what a shared one may not set for agents of these types. */
export function withoutRedirects(layers: LaunchLayers, personal: ReadonlySet<AgentType>): LaunchLayers {
  const names: ReadonlySet<string> = new Set([...personal].flatMap(redirectsOf));
  const kept = <Part extends Settings>(part: Part): Part =>
    // Without optional fields it is still a part of a layer.
    Object.fromEntries(Object.entries(part).filter(([name]) => !names.has(name))) as Part;
  const reduced = ({ agentDefaults, ...layer }: LaunchLayer): LaunchLayer => ({
    ...kept({ ...layer }),
    ...(agentDefaults
      ? { agentDefaults: mapValues(agentDefaults, (defaults) => defaults && kept(defaults)) }
      : {}),
  });
  return mapValues(layers, (layer, name) => (layer && isShared(name) ? reduced(layer) : layer));
}

function mapValues<Values extends object>(
  values: Values,
  change: (value: Values[keyof Values], name: keyof Values) => Values[keyof Values],
): Values {
  const entries = Object.entries(values).map(([name, value]) => [name, change(value, name as keyof Values)]);
  // The compiler cannot follow names through Object.entries.
  return Object.fromEntries(entries) as Values;
}

/** The settings of shared layers that an agent of this type does not get. */
export function ignoredSettings(layers: LaunchLayers, agentType: AgentType): readonly IgnoredSetting[] {
  const isSet = (layer: LaunchLayer, field: Redirect): boolean =>
    (layer.agentDefaults?.[agentType]?.[field] ?? layer[field] ?? null) !== null;
  return layerNames.flatMap((from) => {
    const layer = from === 'platform' || !isShared(from) ? undefined : layers[from];
    if (!layer) return [];
    return redirectsOf(agentType).flatMap((field) => (isSet(layer, field) ? [{ field, from }] : []));
  });
}

/** The settings of shared layers that choose where the agent of the launch sends its credential. */
export const sharedRedirects = (launch: ResolvedLaunch): readonly IgnoredSetting[] =>
  redirectsOf(launch.agentType.value).flatMap((field) => {
    const { from } = launch[field];
    return isShared(from) ? [{ field, from }] : [];
  });
