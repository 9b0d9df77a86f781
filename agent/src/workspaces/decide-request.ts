import { isDeepStrictEqual } from 'node:util';
import type { CreateNodeWorkspace, RestartOrRebuildRequest } from '../../../protocol/node-api.js';
import { AgentError } from '../errors.js';
import type { EvictionChange } from '../store/workspace-changes.js';
import { isRunning, type Workspace, WorkspaceSettings } from './workspace.js';

type CreateDecision = 'begin' | 'in_progress' | 'running';

/**
 * Decides what a create request does. A repeat returns the result of the first request; a newer
 * generation replaces the existing one; an older or deleted generation is refused.
 * @throws AgentError stale_generation, workspace_conflict, workspace_not_creatable
 */
export function decideCreate(
  request: CreateNodeWorkspace,
  existing: Workspace | null,
  deletedGeneration: number,
): CreateDecision {
  const newest = Math.max(deletedGeneration, existing?.generation ?? 0);
  if (request.generation < newest || request.generation === deletedGeneration)
    throw staleGeneration(request.generation, newest);
  if (!existing) return 'begin';
  refuseEvicted(existing);
  if (request.generation > existing.generation) return 'begin';
  if (!isDeepStrictEqual(identity(WorkspaceSettings.parse(settingsOf(request))), identity(existing.settings)))
    throw new AgentError('workspace_conflict', 'This generation already exists with other settings');
  if (existing.status === 'creating') return 'in_progress';
  if (isRunning(existing)) return 'running';
  throw new AgentError(
    'workspace_not_creatable',
    `This generation is ${existing.status}. Create a new generation`,
  );
}

function refuseEvicted({ isEvicted }: Workspace): void {
  if (isEvicted)
    throw new AgentError('workspace_not_creatable', 'An evicted workspace requires an admitted restart');
}

/**
 * @param found generation of the quarantined remains; null when it is unknown
 * @throws AgentError stale_generation
 */
export function checkAdoption(requested: number, found: number | null): void {
  if (found !== null && requested < found) throw staleGeneration(requested, found);
}

/**
 * Whether the workspace is already being started for this generation: the response to the first of
 * two equal requests may have been lost.
 * @throws AgentError stale_generation
 */
export function isRepeatedRestart(request: RestartOrRebuildRequest, workspace: Workspace): boolean {
  const { generation, evictionGeneration } = request;
  if (generation !== undefined && generation < workspace.generation)
    throw staleGeneration(generation, workspace.generation);
  const isNamed = generation !== undefined || evictionGeneration !== undefined;
  const isOther = evictionGeneration !== undefined && evictionGeneration !== workspace.evictionGeneration;
  if (!isNamed || isOther || (generation ?? 0) > workspace.generation) return false;
  return isRunning(workspace) || workspace.status === 'creating';
}

/**
 * The change of the eviction generation that a restart or rebuild makes. Only a workspace without
 * one may start without it.
 * @throws AgentError invalid_request, invalid_transition
 */
export function evictionChange(
  { evictionGeneration: to, expectedEvictionGeneration: expected }: RestartOrRebuildRequest,
  { evictionGeneration: current, isEvicted }: Workspace,
): EvictionChange | undefined {
  if (to === undefined) {
    if (current === '' && !isEvicted) return undefined;
    throw new AgentError(
      'invalid_request',
      'evictionGeneration and expectedEvictionGeneration are needed: the workspace has an eviction generation',
    );
  }
  if ((expected ?? '') !== current)
    throw new AgentError('invalid_transition', 'workspace eviction generation changed');
  return { from: current, to };
}

function staleGeneration(generation: number, newest: number): AgentError {
  return new AgentError('stale_generation', `Generation ${generation} is stale; the latest is ${newest}`);
}

/** Limits may differ between two attempts, as after an upgrade of the control plane. */
function identity({ reservation: _, ...settings }: WorkspaceSettings) {
  return settings;
}

export function settingsOf(request: CreateNodeWorkspace): WorkspaceSettings {
  const {
    workspaceId: _,
    generation: __,
    callbackToken: ___,
    evictionGeneration: ____,
    ...settings
  } = request;
  return settings;
}
