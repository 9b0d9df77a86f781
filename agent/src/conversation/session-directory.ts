import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { SessionControls } from './conversation.js';

/** Where a viewer's socket finds the session that it asks for. */
export interface SessionDirectory {
  /**
   * The session, ready to be watched: a suspended one is resumed, an unknown one is made (anew), and without a
   * `sessionId` one is made under an id of the node's own. No harness is started for it. The same `idempotencyKey`
   * finds what it made before.
   * @throws AgentError `session_not_running` for one that was stopped, `session_create_failed` when none could be made
   */
  attach(request: AttachRequest): Promise<AttachedSession>;
}

export interface AttachRequest {
  readonly workspaceId: string;
  readonly sessionId: string | null;
  /** Path of a listed worktree, for a session that is made now. */
  readonly worktree: string | null;
  readonly idempotencyKey: string | null;
}

export interface AttachedSession {
  readonly session: SessionRecord;
  readonly controls: SessionControls;
}
