import type {
  Degradation,
  HibernateAgentSession,
  HibernateAnswer,
  MissingPart,
  RestoreAgentSession,
  RestoreAnswer,
} from '../../../protocol/snapshots.js';
import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import { AgentError } from '../errors.js';
import type { MessageSequences } from '../reporting/outbox-message.js';
import { KeyLock } from '../shared/key-lock.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { RestoreStore } from './restore-store.js';
import type { SessionSnapshots } from './session-snapshots.js';

interface HibernationDeps {
  readonly snapshots: SessionSnapshots;
  readonly restores: RestoreStore;
  readonly records: Pick<SessionRecords, 'beginRestore' | 'endRestore' | 'dropRestoredIdentity'>;
  readonly sequences: Pick<MessageSequences, 'last'>;
  readonly hosts: SessionHosts;
  readonly sessions: { session(key: SessionKey): SessionRecord };
  readonly workspaces: {
    /** @throws AgentError when it does not run */
    running(workspaceId: string): Workspace;
    /** Stores the token when it expires later than the current one. */
    keepToken(workspaceId: string, callbackToken: string): void;
  };
  readonly events: Pick<EventStore, 'add'>;
}

/** Hibernates and restores sessions for the control plane. One operation a session at a time. */
export class Hibernation {
  private readonly lock = new KeyLock();

  constructor(private readonly deps: HibernationDeps) {}

  /** Does not change the session. @throws AgentError */
  hibernate(key: SessionKey, request: HibernateAgentSession): Promise<HibernateAnswer> {
    return this.exclusively(key, async () => {
      const { sequences, snapshots, hosts } = this.deps;
      const session = this.sessionOf(key, request);
      if (session.status === 'stopped')
        throw new AgentError('invalid_transition', 'Session is stopped and cannot be hibernated');
      const { workspaceId, sessionId, agentType, acpSessionId, settings } = session;
      const answer = await snapshots.hibernate(
        {
          workspace: this.workspaceFor(key, request),
          sessionId,
          agentType,
          acpSessionId,
          settings: { ...settings },
          lastSequence: sequences.last(workspaceId, request.chatSessionId),
          isPrompting: () => (hosts.find(key)?.host.turn ?? null) !== null,
        },
        request,
      );
      this.addEvent(key, 'hibernated', `Snapshot stored (degradation: ${answer.degradation})`);
      return answer;
    });
  }

  /** Restores into an unused session. A repeat returns the same answer. @throws AgentError */
  restore(key: SessionKey, request: RestoreAgentSession): Promise<RestoreAnswer> {
    return this.exclusively(key, async () => {
      const { restores, records, hosts } = this.deps;
      const session = this.sessionOf(key, request);
      const snapshot = request.manifest.archive.sha256;
      const known = restores.answer(key);
      if (known?.snapshot === snapshot) return known.answer;
      const workspace = this.workspaceFor(key, request);
      if (known || !records.beginRestore(session))
        throw new AgentError(
          'session_conflict',
          'Session is in use. Create another session and restore into that.',
        );
      await hosts.close(key, 'suspended');
      const answer = await this.restoreSession(key, workspace, request);
      restores.answered(key, snapshot, answer);
      this.addEvent(key, 'restored', `Snapshot restored (degradation: ${answer.degradation})`);
      return answer;
    });
  }

  private async restoreSession(
    key: SessionKey,
    workspace: Workspace,
    request: RestoreAgentSession,
  ): Promise<RestoreAnswer> {
    const { records, snapshots } = this.deps;
    try {
      const missing = await snapshots.restore(workspace, request);
      missing.push(...(await this.resumeAgent(key, request, missing)));
      return {
        status: missing.length === 0 ? 'restored' : 'degraded',
        degradation: degradationOf(missing, request.manifest.degradation),
        missing,
      };
    } catch (error) {
      // The next attempt repeats whatever was done.
      records.endRestore(key, null);
      throw error;
    }
  }

  /** The harness must load the ACP session of the snapshot. */
  private async resumeAgent(
    key: SessionKey,
    { manifest, agentType }: RestoreAgentSession,
    lost: readonly MissingPart[],
  ): Promise<MissingPart[]> {
    const { records, hosts, sessions } = this.deps;
    const agentMissing = (reason: string): MissingPart[] => [{ part: 'agent', path: null, reason }];
    const { acpSessionId, settings } = manifest;
    const isWhole = acpSessionId !== null && manifest.agentType === agentType;
    const hasHome = !lost.some(({ part }) => part === 'home');
    if (!isWhole || !hasHome) {
      records.endRestore(key, null);
      return agentMissing(
        isWhole
          ? 'The state of the agent in the home was not restored'
          : 'Snapshot has no session of this agent type',
      );
    }
    const kept = (name: string) => settings[name] ?? null;
    const identity = {
      agentType,
      acpSessionId,
      settings: {
        model: kept('model'),
        permissionMode: kept('permissionMode'),
        effort: kept('effort'),
        opencodeProvider: kept('opencodeProvider'),
        opencodeBaseUrl: kept('opencodeBaseUrl'),
      },
    };
    if (!records.endRestore(key, identity)) return agentMissing('The session was stopped during the restore');
    const { host } = hosts.of(sessions.session(key));
    await host.startChosenAgent({ isStrict: true });
    if (host.status === 'ready') return [];
    const reason = host.errorMessage ?? 'The coding agent could not be started';
    await hosts.close(key, 'suspended');
    records.dropRestoredIdentity(key);
    return agentMissing(reason);
  }

  private sessionOf(key: SessionKey, { chatSessionId }: { readonly chatSessionId: string }): SessionRecord {
    const session = this.deps.sessions.session(key);
    if (session.chatSessionId !== null && session.chatSessionId !== chatSessionId)
      throw new AgentError('session_conflict', 'Session belongs to another chat');
    return session;
  }

  private workspaceFor(
    { workspaceId }: SessionKey,
    { workspaceCallbackToken }: { readonly workspaceCallbackToken?: string | undefined },
  ): Workspace {
    const { workspaces } = this.deps;
    const workspace = workspaces.running(workspaceId);
    if (workspaceCallbackToken) workspaces.keepToken(workspaceId, workspaceCallbackToken);
    return workspace;
  }

  private addEvent({ workspaceId, sessionId }: SessionKey, what: string, message: string): void {
    const type = `agent_session.${what}`;
    this.deps.events.add({ workspaceId, level: 'info', type, message, detail: { sessionId } });
  }

  private exclusively<T>({ workspaceId, sessionId }: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.lock.run(`${workspaceId}/${sessionId}`, work);
  }
}

function degradationOf(missing: readonly MissingPart[], captured: Degradation): Degradation {
  const lost = new Set(missing.map(({ part }) => part));
  if (lost.has('home') && lost.has('work')) return 'transcript-only';
  if (lost.has('home')) return 'home-skipped';
  if (lost.has('work')) return 'wip-skipped';
  if (lost.has('agent')) return 'agent-context-skipped';
  return captured;
}
