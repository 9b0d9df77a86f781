import type { Reservation as ContainerLimits } from '../../../protocol/node-api.js';
import { Reservation, type ResolvedReservation, requestedReservation } from '../nodes/reservation.js';
import type { Workspace } from './workspace.js';

type Requirements = Pick<Workspace, 'resourceRequirements' | 'resolvedReservation'>;

/** What the workspace takes of its node, and the layer that it comes from. */
export const resolvedReservationOf = (workspace: Requirements): ResolvedReservation =>
  workspace.resolvedReservation ?? requestedReservation(workspace.resourceRequirements);

/** What the workspace takes of its node. */
export const reservationOf = (workspace: Requirements): Reservation =>
  Reservation.parse(resolvedReservationOf(workspace));

/** More than any machine has; the node gives what it has. */
const wholeNode = { cpuMillis: 1_000_000_000, memoryMb: 1_000_000_000 };

/** Limits of the workspace on its node. An exclusive workspace may use the whole node. */
export function containerLimitsOf(workspace: Requirements): ContainerLimits {
  const { cpuMillis, memoryMb, diskMb, exclusiveNode } = reservationOf(workspace);
  return exclusiveNode ? wholeNode : { cpuMillis, memoryMb, diskMb };
}
