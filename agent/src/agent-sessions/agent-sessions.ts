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
import { isRunning, type Workspace } from '../workspaces/workspace.js';
import { HostControls } from './host-controls.js';
import type { PromptIntake } from './prompt-intake.js';
import { refuseDuringRestore, SessionEndings, type SuspendedEnding } from './session-endings.js';
import type { SessionHosts } from './session-hosts.js';
import { describeSession, type SessionKey, type SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';
import { deliveryOf, promptRequest, startRequest } from './session-requests.js';
import type { NewSession } from './session-store.js';

export interface AgentSessionsDeps {
  readonly records: SessionRecords;
  readonly hosts: SessionHosts;
  readonly intake: PromptIntake;
  readonly conversations: Conversations;
  readonly tabs: {
    sessionOpened(session: SessionRecord): void;
    sessionClosed(session: SessionKey): void;
  };
  readonly workspaces: {
    find(workspaceId: string): Workspace | null;
    /** @throws AgentError when the workspace is not running */
    running(workspaceId: string): Workspace;
  };
  /** @throws AgentError when git lists no such worktree */
  readonly worktreeFolder: (workspace: Workspace, path: string) => Promise<string>;
  readonly events: Pick<EventStore, 'add'>;
}

/** The agent sessions of this node. Transitions of one session run one after the other. */
export class AgentSessions implements SessionDirectory {
  private readonly lock = new KeyLock();
  private readonly endings: SessionEndings;

  constructor(private readonly deps: AgentSessionsDeps) {
    this.endings = new SessionEndings(deps);
  }

  list(workspaceId: string): AgentSession[] {
    this.workspace(workspaceId);
    return this.deps.records.list(workspaceId).map((session) => this.describe(session));
  }

  /** @throws AgentError session_conflict when another request created a session with this id */
  create(workspaceId: string, body: CreateAgentSession, idempotencyKey: string | null): AgentSession {
    this.deps.workspaces.running(workspaceId);
    const { acpInteractions: interactions = null, mcpServers = [], ...named } = body;
    if (this.insert({ workspaceId, ...named, mcpServers, interactions, idempotencyKey }))
      return this.describe(this.get(body, workspaceId));
    const existing = this.get(body, workspaceId);
    if (idempotencyKey !== null && existing.idempotencyKey === idempotencyKey) {
      // A restart of the workspace ends the tokens of the earlier ones.
      this.deps.records.replaceGiven(existing, { mcpServers, interactions });
      return this.describe(existing);
    }
    throw new AgentError(
      'session_conflict',
      `Session ${body.sessionId} exists. Use another sessionId, or repeat the request with its Idempotency-Key.`,
    );
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
    const isCancelled = this.deps.hosts.find(key)?.host.cancel() ?? false;
    if (isCancelled) return { status: 'cancelled', message: 'The prompt in flight is being cancelled' };
    return { status: 'idle', message: 'No prompt is in flight' };
  }

  stop(key: SessionKey): Promise<AgentSession> {
    return this.exclusively(key, async () => {
      await this.endings.stop(this.session(key));
      return this.describe(this.session(key));
    });
  }

  suspend(key: SessionKey): Promise<AgentSession> {
    return this.exclusively(key, async () => {
      await this.endings.suspend(this.session(key));
      return this.describe(this.session(key));
    });
  }

  resume(key: SessionKey): Promise<AgentSession> {
    return this.exclusively(key, async () => this.describe(await this.makeRunning(this.session(key))));
  }

  attach({ workspaceId, ...request }: AttachRequest): Promise<AttachedSession> {
    const { records } = this.deps;
    const made =
      request.idempotencyKey === null
        ? null
        : records.findByIdempotencyKey(workspaceId, request.idempotencyKey);
    const sessionId = request.sessionId ?? made?.sessionId ?? `session-${randomBytes(8).toString('hex')}`;
    const key = { workspaceId, sessionId };
    return this.exclusively(key, async () => {
      const found = records.find(key) ?? (await this.createFor({ ...key, ...request, sessionId }));
      if (found.status === 'stopped')
        throw new AgentError('session_not_running', 'Session is stopped. Create another session.');
      const session = found.status === 'suspended' ? await this.makeRunning(found) : found;
      this.deps.hosts.of(session);
      const resume = () => this.exclusively(key, () => this.makeRunning(this.session(key)));
      return { session, controls: new HostControls(key, { ...this.deps, resume }) };
    });
  }

  /** Stops all sessions of a workspace. Their records stay. */
  async stopWorkspace(workspaceId: string): Promise<void> {
    await this.forOpen(workspaceId, (session) => this.endings.stop(session));
  }

  /** Suspends the running sessions of a workspace until it runs again, and ends all agents. */
  async suspendWorkspace(workspaceId: string, ending: SuspendedEnding = 'suspended'): Promise<void> {
    for (const key of this.deps.records.suspendWorkspace(workspaceId))
      this.addEvent(key, 'suspended', 'Session suspended with its workspace');
    await this.forOpen(workspaceId, (session) => this.endings.closeSuspended(session, ending));
  }

  /** The workspace runs again. The next prompts and viewers load the conversations. */
  resumeWorkspace(workspaceId: string): void {
    for (const key of this.deps.records.resumeWorkspace(workspaceId))
      this.addEvent(key, 'resumed', 'Session resumed with its workspace');
  }

  /** At the start of the agent, which may have ended between a change of the workspace and this. */
  async reconcile(workspace: Workspace): Promise<void> {
    if (isRunning(workspace)) this.resumeWorkspace(workspace.workspaceId);
    else if (workspace.status !== 'creating') await this.suspendWorkspace(workspace.workspaceId);
  }

  /** Ends all harnesses when the agent shuts down. Records do not change. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.deps.hosts.closeAll('shutdown');
  }

  /** @throws AgentError not_found */
  session(key: SessionKey): SessionRecord {
    this.workspace(key.workspaceId);
    return this.get(key, key.workspaceId);
  }

  private submit(
    session: SessionRecord,
    delivery: ReturnType<typeof deliveryOf>,
    request: Parameters<PromptIntake['submitWithoutReceipt']>[1],
  ) {
    const { intake } = this.deps;
    return delivery
      ? intake.submitDelivery(session, delivery, request)
      : intake.submitWithoutReceipt(session, request);
  }

  /** Makes a suspended or failed session `running`. Its harness starts with the next prompt. */
  private async makeRunning(session: SessionRecord): Promise<SessionRecord> {
    const { records, hosts } = this.deps;
    if (session.status === 'stopped')
      throw new AgentError(
        'invalid_transition',
        'Session is stopped and cannot be resumed. Create another session.',
      );
    refuseDuringRestore(session);
    this.deps.workspaces.running(session.workspaceId);
    if (records.resume(session)) {
      await hosts.close(session, 'suspended');
      this.addEvent(session, 'resumed', 'Session resumed');
    }
    const resumed = this.get(session, session.workspaceId);
    const { sink, host } = hosts.of(resumed);
    sink.sessionChanged(resumed);
    if (session.status !== 'running') sink.hostStatus(host.status);
    return resumed;
  }

  private async createFor(request: Omit<AttachRequest, 'sessionId'> & SessionKey): Promise<SessionRecord> {
    const { workspaceId, sessionId, worktree, idempotencyKey } = request;
    const workspace = this.deps.workspaces.running(workspaceId);
    const workDir = worktree === null ? null : await this.deps.worktreeFolder(workspace, worktree);
    if (!this.insert({ workspaceId, sessionId, workDir, idempotencyKey }))
      throw new AgentError(
        'session_create_failed',
        'Session could not be created because its id is in use. Retry with another id.',
      );
    return this.get(request, workspaceId);
  }

  private insert(session: NewSession): boolean {
    if (!this.deps.records.create(session)) return false;
    this.deps.tabs.sessionOpened(this.get(session, session.workspaceId));
    this.addEvent(session, 'created', 'Session created');
    return true;
  }

  private describe(session: SessionRecord): AgentSession {
    return describeSession(session, this.deps.hosts.find(session));
  }

  private get({ sessionId }: Pick<SessionKey, 'sessionId'>, workspaceId: string): SessionRecord {
    const session = this.deps.records.find({ workspaceId, sessionId });
    if (!session) throw new AgentError('not_found', 'Session not found in this workspace');
    return session;
  }

  private workspace(workspaceId: string): Workspace {
    const workspace = this.deps.workspaces.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'Workspace not found on this node');
    return workspace;
  }

  private addEvent({ workspaceId, sessionId }: SessionKey, what: string, message: string): void {
    const type = `agent_session.${what}`;
    this.deps.events.add({ workspaceId, level: 'info', type, message, detail: { sessionId } });
  }

  private async forOpen(workspaceId: string, work: (session: SessionRecord) => Promise<void>) {
    const open = this.deps.records.list(workspaceId).filter(({ status }) => status !== 'stopped');
    await Promise.all(open.map((session) => this.exclusively(session, () => work(session))));
  }

  private exclusively<T>({ workspaceId, sessionId }: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.lock.run(`${workspaceId}/${sessionId}`, work);
  }
}
