import type { WorkspaceGeneration } from '../../domain/workspaces/find-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { sagasOf } from '../../edge/sagas.js';
import type { Log } from '../../shared/log.js';

const sagas = sagasOf('provision-workspace');

/** Starts to provision a workspace whose record is written. The sweep starts it when this fails. */
export async function startProvisioning(
  { workspaceId, generation, wake }: WorkspaceGeneration & Pick<Workspace, 'wake'>,
  log: Log,
): Promise<void> {
  try {
    await sagas.startProvisionWorkspace({ workspaceId, generation, wake });
    log.info('Workspace requested', { workspaceId, generation });
  } catch (error) {
    log.error('Provisioning not started; the sweep starts it', { workspaceId, error });
  }
}
