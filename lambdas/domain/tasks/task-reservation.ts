import type { CodeHost } from '../code-host/code-host.js';
import { askForHostRequirements, type DevContainerQuestion } from '../code-host/dev-container.js';
import type { ResolvedLaunch } from '../launch/resolve-launch.js';
import type { Offer } from '../nodes/instance-types.js';
import { raiseReservation } from '../nodes/raise-reservation.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Task } from './task.js';

interface TaskReservation {
  readonly task: Task;
  readonly launch: ResolvedLaunch;
  readonly offer: Offer;
  readonly of: Omit<DevContainerQuestion, 'configName'>;
}

/**
 * The reservation of the launch, with at least what the dev container of the repository requires.
 * No dev container is built for a lightweight task, and a person who requests a node has chosen
 * the machine: both keep the reservation of the launch.
 *
 * @throws {HostRequirementsTooLarge}
 */
export async function reserveForTask(
  codeHost: CodeHost,
  { task, launch, offer, of }: TaskReservation,
): Promise<Pick<Workspace, 'resolvedReservation' | 'reservationNote'>> {
  const { reservation, workspaceProfile, devcontainerConfigName } = launch;
  if (workspaceProfile.value === 'lightweight' || task.requestedNodeId)
    return { resolvedReservation: reservation };
  const configName = devcontainerConfigName.value ?? undefined;
  const hostRequirements = await askForHostRequirements(codeHost, { ...of, configName });
  return raiseReservation(reservation, hostRequirements, offer);
}
