import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { SessionRecord } from '../../agent/src/agent-sessions/session-record.js';
import { SessionStore } from '../../agent/src/agent-sessions/session-store.js';
import { openDatabase } from '../../agent/src/store/database.js';
import { WorkspaceStore } from '../../agent/src/store/workspace-store.js';

export const workspaceId = '01K0000000000000000000000W';

/**
 * An agent's database on disk with one running workspace and its session; opened again, it is what
 * a restart finds.
 */
export class AgentState {
  private readonly path = join(mkdtempSync(join(tmpdir(), 'agent-state-')), 'state.db');
  database: DatabaseSync;

  constructor() {
    this.database = openDatabase(this.path);
    const settings = { repository: null, cloneUrl: null, branch: null };
    this.workspaces.begin({ workspaceId, generation: 1, callbackToken: 'token-1', settings });
    this.workspaces.move({ workspaceId, generation: 1 }, { from: ['creating'], to: 'running' });
    new SessionStore(this.database, () => new Date()).create({
      workspaceId,
      sessionId: 'session',
      chatSessionId: 'chat',
      projectId: 'project',
    });
  }

  get workspaces(): WorkspaceStore {
    return new WorkspaceStore(this.database, () => new Date());
  }

  session(changes: Partial<SessionRecord> = {}): SessionRecord {
    const store = new SessionStore(this.database, () => new Date());
    const session = store.find({ workspaceId, sessionId: 'session' });
    if (!session) throw new Error('The session is gone');
    return { ...session, ...changes };
  }

  renewToken(token: string): void {
    const workspace = this.workspaces.find(workspaceId);
    if (workspace) this.workspaces.renewToken(workspace, token);
  }

  reopen(): void {
    this.database.close();
    this.database = openDatabase(this.path);
  }
}
