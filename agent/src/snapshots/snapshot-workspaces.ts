import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import { AgentError } from '../errors.js';
import type { Workspace } from '../workspaces/workspace.js';

interface SnapshotWorkspacesDeps {
  readonly sessions: {
    /** @throws AgentError not_found */
    session(key: SessionKey): SessionRecord;
  };
  readonly workspaces: {
    find(workspaceId: string): Workspace | null;
    /** @throws AgentError when it does not run */
    running(workspaceId: string): Workspace;
    /** Stores the token when it expires later than the current one. */
    keepToken(workspaceId: string, callbackToken: string): void;
  };
}

interface SnapshotRequest {
  readonly chatSessionId: string;
  readonly workspaceCallbackToken?: string | undefined;
}

/** The workspaces and sessions that requests of snapshots name. */
export class SnapshotWorkspaces {
  constructor(private readonly deps: SnapshotWorkspacesDeps) {}

  /**
   * The session of a request. Keeps the callback token that comes with it.
   * @throws AgentError when the session belongs to another chat, or its workspace does not run
   */
  session(key: SessionKey, { chatSessionId, workspaceCallbackToken }: SnapshotRequest): SessionRecord {
    const { sessions, workspaces } = this.deps;
    const session = sessions.session(key);
    if (session.chatSessionId !== null && session.chatSessionId !== chatSessionId)
      throw new AgentError('session_conflict', 'Session belongs to another chat');
    workspaces.running(key.workspaceId);
    if (workspaceCallbackToken) workspaces.keepToken(key.workspaceId, workspaceCallbackToken);
    return session;
  }

  /** With its newest callback token. @throws when it was deleted */
  current(workspaceId: string): Workspace {
    const workspace = this.deps.workspaces.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'Workspace not found on this node');
    return workspace;
  }
}
