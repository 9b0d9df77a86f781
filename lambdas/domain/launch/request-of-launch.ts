import { type LaunchLayer, LaunchSettings, type LayerName } from './launch-layer.js';
import type { ResolvedLaunch } from './resolve-launch.js';

/**
 * The request layer of an earlier launch. A new run applies it again with the present other layers.
 */
export function requestOfLaunch(launch: ResolvedLaunch | null): LaunchLayer {
  if (!launch) return {};
  const { agentType, workspaceProfile, devcontainerConfigName, taskMode, resourceRequirements } = launch;
  const demands = ofRequest(resourceRequirements);
  return LaunchSettings.parse({
    ...ofRequest({ agentType, workspaceProfile, devcontainerConfigName, taskMode }),
    ...(Object.keys(demands).length > 0 ? { resourceRequirements: demands } : {}),
  });
}

type Resolved = Readonly<Record<string, { readonly value: unknown; readonly from: LayerName }>>;

const ofRequest = (values: Resolved): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, { value, from }]) => (from === 'request' ? [[name, value]] : [])),
  );
