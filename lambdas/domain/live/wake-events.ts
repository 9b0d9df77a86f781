import type { LiveEvent } from '../../../protocol/live.js';
import type { Workspace } from '../workspaces/workspace.js';
import { workspaceTopic } from './topic.js';

/** A phase of a wake that began, or a wake that failed. `session.woke` is the end of a good one. */
export function wakeEvents(before: Workspace | undefined, after: Workspace): readonly LiveEvent[] {
  const data = begunPhase(before, after) ?? failure(before, after);
  if (!data) return [];
  const { workspaceId, version, updatedAt: at } = after;
  const topic = workspaceTopic(workspaceId);
  return [{ type: 'session.wake_progress', topic, version, data: { workspaceId, ...data, at } }];
}

function begunPhase(before: Workspace | undefined, { wake }: Workspace) {
  if (!wake) return undefined;
  const { operationId, phase, attempt } = wake;
  const isSame = before?.wake?.operationId === operationId && before.wake.phase === phase;
  return isSame ? undefined : { phase, attempt };
}

function failure(before: Workspace | undefined, { wakeFailure }: Workspace) {
  if (!wakeFailure || before?.wakeFailure?.failedAt === wakeFailure.failedAt) return undefined;
  const { attempts, reason } = wakeFailure;
  return { phase: 'failed' as const, attempt: attempts, reason };
}
