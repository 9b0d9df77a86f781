import { isDeepStrictEqual } from 'node:util';
import type { CreateNodeWorkspace } from '../../../protocol/node-api.js';
import { AgentError } from '../errors.js';
import { type Workspace, WorkspaceSettings } from './workspace.js';

export type CreateDecision = 'begin' | 'in_progress' | 'running';

/**
 * What a create request means for what is there. A repeat finds the first one's result; a newer generation takes
 * the place of whatever was; nothing older ever comes back.
 * @throws AgentError stale_generation, workspace_conflict, workspace_not_creatable
 */
export function decideCreate(
  request: CreateNodeWorkspace,
  existing: Workspace | null,
  deletedGeneration: number,
): CreateDecision {
  const newest = Math.max(deletedGeneration, existing?.generation ?? 0);
  if (request.generation < newest || request.generation === deletedGeneration)
    throw new AgentError(
      'stale_generation',
      `Generation ${request.generation} is over; ${newest} was the last`,
    );
  if (!existing || request.generation > existing.generation) return 'begin';
  if (!isDeepStrictEqual(identity(WorkspaceSettings.parse(settingsOf(request))), identity(existing.settings)))
    throw new AgentError('workspace_conflict', 'This generation was created with other settings');
  if (existing.status === 'creating') return 'in_progress';
  if (existing.status === 'running' || existing.status === 'recovering') return 'running';
  throw new AgentError(
    'workspace_not_creatable',
    `This generation is ${existing.status}; only a new generation can be created`,
  );
}

/** Limits may come to be known between two attempts, as when the control plane is replaced. */
function identity({ reservation: _, ...settings }: WorkspaceSettings) {
  return settings;
}

export function settingsOf(request: CreateNodeWorkspace): WorkspaceSettings {
  const { workspaceId: _, generation: __, callbackToken: ___, ...settings } = request;
  return settings;
}
