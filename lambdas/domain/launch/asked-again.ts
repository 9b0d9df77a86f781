import { type LaunchLayer, LaunchSettings, type LayerName } from './launch-layer.js';
import type { ResolvedLaunch } from './resolve-launch.js';

/** What the request of a launch had said, so that it is asked for again while the other layers are as they are by then. */
export function askedAgain(launch: ResolvedLaunch | null): LaunchLayer {
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
