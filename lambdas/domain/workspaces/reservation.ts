import type { Reservation } from '../../../protocol/node-api.js';
import { platformResources } from '../launch/launch-layer.js';
import type { Workspace } from './workspace.js';

/** More than any machine has; the node gives what it has. */
const wholeNode = 1_000_000_000;

/**
 * Limits of the workspace on its node: its requirements, or the figures of the platform. An
 * exclusive workspace may use the whole node.
 */
export function reservationOf({
  resourceRequirements,
}: Pick<Workspace, 'resourceRequirements'>): Reservation {
  if (resourceRequirements?.exclusiveNode) return { cpuMillis: wholeNode, memoryMb: wholeNode };
  const { minVcpu = platformResources.minVcpu, minMemoryGb = platformResources.minMemoryGb } =
    resourceRequirements ?? {};
  return {
    cpuMillis: Math.min(Math.ceil(minVcpu * 1_000), wholeNode),
    memoryMb: Math.min(Math.ceil(minMemoryGb * 1_024), wholeNode),
  };
}
