import { randomBytes } from 'node:crypto';
import type {
  AgentSession,
  CancelAnswer,
  CreateAgentSession,
  PromptAgentSession,
  StartAgentSession,
} from '../../../protocol/agent-sessions.js';
import type {
  AttachedSession,
  AttachRequest,
  Conversations,
  SessionDirectory,
} from '../conversation/conversation.js';
import { AgentError } from '../errors.js';
import { KeyLock } from '../shared/key-lock.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { describeSession } from './describe-session.js';
import { HostControls } from './host-controls.js';
import type { PromptIntake } from './prompt-intake.js';
import type { Hosts } from './session-hosts.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import { deliveryOf, promptRequest, startRequest } from './session-requests.js';
import type { NewSession, SessionStore } from './session-store.js';

export interface AgentSessionsParts {
  readonly store: SessionStore;
  readonly hosts: Hosts;
  readonly intake: PromptIntake;
  readonly conversations: Conversations;
  readonly tabs: {
    sessionOpened(session: SessionRecord): void;
    sessionClosed(session: SessionKey): void;
  };
  readonly workspaces: {
    find(workspaceId: string): Workspace | null;
    /** @throws AgentError when it does not run */
    running(workspaceId: string): Workspace;
  };
  /** @throws AgentError when git lists no such worktree */
  readonly worktreeFolder: (workspace: Workspace, path: string) => Promise<string>;
  readonly events: Pick<EventStore, 'add'>;
}

const goingAway = 1001;

/** The agent sessions of this node: their lives, one move of a session at a time. */
export class AgentSessions implements SessionDirectory {
  private readonly lock = new KeyLock();

  constructor(private readonly parts: AgentSessionsParts) {}

  list(workspaceId: string): AgentSession[] {
    this.workspace(workspaceId);
    return this.parts.store.list(workspaceId).map((session) => this.describe(session));
  }

  /** @throws AgentError session_conflict when there is one of this id that the same request has not made */
  create(workspaceId: string, body: CreateAgentSession, idempotencyKey: string | null): AgentSession {
    this.parts.workspaces.running(workspaceId);
    const { sessionId, label = null, chatSessionId = null, projectId = null, mcpServers = [] } = body;
    const session = { label, chatSessionId, projectId, mcpServers, idempotencyKey };
    if (this.insert({ workspaceId, sessionId, ...session }))
      return this.describe(this.get(body, workspaceId));
    const existing = this.get(body, workspaceId);
    if (idempotencyKey !== null && existing.idempotencyKey === idempotencyKey) return this.describe(existing);
    throw new AgentError('session_conflict', `There is a session ${sessionId} already`);
  }

  start(key: SessionKey, body: StartAgentSession) {
    const session = this.session(key);
    const delivery = deliveryOf(key, body);
    const request = startRequest(session, body);
    return this.submit(session, delivery, request);
  }

  prompt(key: SessionKey, body: PromptAgentSession) {
    const session = this.session(key);
    return this.submit(session, deliveryOf(key, body), promptRequest(body));
  }

  cancel(key: SessionKey): CancelAnswer {
    this.session(key);
    const isCancelled = this.parts.hosts.find(key)?.host.cancel() ?? false;
    if (isCancelled) return { status: 'cancelled', message: 'The prompt is being cancelled' };
    return { status: 'idle', message: 'No prompt is in flight' };
  }

  stop(key: SessionKey): Promise<AgentSession> {
    return this.alone(key, async () => {
      await this.end(this.session(key));
      return this.describe(this.session(key));
    });
  }

  suspend(key: SessionKey): Promise<AgentSession> {
    return this.alone(key, async () => {
      const { store, hosts, conversations } = this.parts;
      const session = this.session(key);
      if (session.status === 'stopped')
        throw new AgentError('invalid_transition', 'The session cannot be suspended: it is stopped');
      if (store.move(key, { from: ['running', 'error'], to: 'suspended' })) {
        await hosts.close(key, 'suspended');
        conversations.of(session).closeViewers(goingAway, 'session suspended');
        this.tell(key, 'suspended', 'The session was suspended');
      }
      return this.describe(this.session(key));
    });
  }

  resume(key: SessionKey): Promise<AgentSession> {
    return this.alone(key, async () => this.describe(await this.revive(this.session(key))));
  }

  attach({ workspaceId, ...asked }: AttachRequest): Promise<AttachedSession> {
    const { store } = this.parts;
    const made = asked.idempotencyKey === null ? null : store.findByKey(workspaceId, asked.idempotencyKey);
    const sessionId = asked.sessionId ?? made?.sessionId ?? `session-${randomBytes(8).toString('hex')}`;
    const key = { workspaceId, sessionId };
    return this.alone(key, async () => {
      const found = store.find(key) ?? (await this.createFor({ ...key, ...asked, sessionId }));
      if (found.status === 'stopped') throw new AgentError('session_not_running', 'The session was stopped');
      const session = found.status === 'suspended' ? await this.revive(found) : found;
      this.parts.hosts.of(session);
      return { session, controls: new HostControls(key, this.parts) };
    });
  }

  /** Ends all sessions of a workspace whose processes end; their records stay. */
  async closeWorkspace(workspaceId: string): Promise<void> {
    const open = this.parts.store.list(workspaceId).filter(({ status }) => status !== 'stopped');
    await Promise.all(open.map((session) => this.alone(session, () => this.end(session))));
  }

  /** With the agent itself: harnesses end, records stay as they are. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.parts.hosts.closeAll('shutdown');
  }

  /** @throws AgentError not_found */
  session(key: SessionKey): SessionRecord {
    this.workspace(key.workspaceId);
    return this.get(key, key.workspaceId);
  }

  private submit(
    session: SessionRecord,
    delivery: ReturnType<typeof deliveryOf>,
    request: Parameters<PromptIntake['legacy']>[1],
  ) {
    const { intake } = this.parts;
    return delivery ? intake.versioned(session, delivery, request) : intake.legacy(session, request);
  }

  private async end(session: SessionRecord): Promise<void> {
    const { store, hosts, conversations, tabs } = this.parts;
    const { workspaceId, sessionId } = session;
    const key = { workspaceId, sessionId };
    if (!store.move(key, { from: ['running', 'suspended', 'error'], to: 'stopped' })) return;
    await hosts.close(key, 'stopped');
    conversations.of(session).closeViewers(goingAway, 'session stopped');
    conversations.forget(key);
    tabs.sessionClosed(key);
    this.tell(key, 'stopped', 'The session was stopped');
  }

  /** A suspended or failed session runs again, with nothing started yet. */
  private async revive(session: SessionRecord): Promise<SessionRecord> {
    const { store, hosts } = this.parts;
    if (session.status === 'stopped')
      throw new AgentError('invalid_transition', 'The session cannot be resumed: it is stopped');
    this.parts.workspaces.running(session.workspaceId);
    if (store.move(session, { from: ['suspended', 'error'], to: 'running' })) {
      await hosts.close(session, 'suspended');
      this.tell(session, 'resumed', 'The session was resumed');
    }
    const resumed = this.get(session, session.workspaceId);
    const { sink, host } = hosts.of(resumed);
    sink.sessionChanged(resumed);
    if (session.status !== 'running') sink.hostStatus(host.status);
    return resumed;
  }

  private async createFor(asked: Omit<AttachRequest, 'sessionId'> & SessionKey): Promise<SessionRecord> {
    const { workspaceId, sessionId, worktree, idempotencyKey } = asked;
    const workspace = this.parts.workspaces.running(workspaceId);
    const workDir = worktree === null ? null : await this.parts.worktreeFolder(workspace, worktree);
    if (!this.insert({ workspaceId, sessionId, workDir, idempotencyKey }))
      throw new AgentError('session_create_failed', 'The session could not be made');
    return this.get(asked, workspaceId);
  }

  private insert(session: NewSession): boolean {
    if (!this.parts.store.create(session)) return false;
    this.parts.tabs.sessionOpened(this.get(session, session.workspaceId));
    this.tell(session, 'created', 'A session was made');
    return true;
  }

  private describe(session: SessionRecord): AgentSession {
    return describeSession(session, this.parts.hosts.find(session));
  }

  private get({ sessionId }: Pick<SessionKey, 'sessionId'>, workspaceId: string): SessionRecord {
    const session = this.parts.store.find({ workspaceId, sessionId });
    if (!session) throw new AgentError('not_found', 'The workspace has no such session');
    return session;
  }

  private workspace(workspaceId: string): Workspace {
    const workspace = this.parts.workspaces.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'This node has no such workspace');
    return workspace;
  }

  private tell({ workspaceId, sessionId }: SessionKey, what: string, message: string): void {
    const type = `agent_session.${what}`;
    this.parts.events.add({ workspaceId, level: 'info', type, message, detail: { sessionId } });
  }

  private alone<T>({ workspaceId, sessionId }: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.lock.run(`${workspaceId}/${sessionId}`, work);
  }
}
