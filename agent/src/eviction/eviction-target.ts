import type { EvictionCause, EvictionReason } from '../../../protocol/eviction.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { Workspace } from '../workspaces/workspace.js';

/** The session that a capture belongs to, of a project that the control plane has named. */
export interface CapturedSession {
  readonly sessionId: string;
  readonly chatSessionId: string;
  readonly projectId: string;
}

/** What is evicted: exactly this container of this life of the workspace. */
export interface EvictionTarget {
  readonly workspace: Workspace;
  readonly containerId: string;
  readonly session: CapturedSession;
  readonly reason: EvictionReason;
  readonly cause: EvictionCause | null;
}

const order = ['running', 'suspended', 'error'] as const;

/**
 * The session whose chat gets the capture: the first that runs, else a suspended one, else a failed
 * one. Null: the workspace cannot be captured, and so not be evicted.
 */
export function capturedSession(sessions: readonly SessionRecord[]): CapturedSession | null {
  for (const status of order)
    for (const { sessionId, chatSessionId, projectId, ...session } of sessions)
      if (session.status === status && chatSessionId !== null && projectId !== null)
        return { sessionId, chatSessionId, projectId };
  return null;
}

/** Whether the workspace is the one that was to be evicted, and nothing has begun with it since. */
export function isSameLife(current: Workspace | null, { workspace }: EvictionTarget): current is Workspace {
  return (
    current !== null &&
    current.generation === workspace.generation &&
    current.evictionGeneration === workspace.evictionGeneration
  );
}
