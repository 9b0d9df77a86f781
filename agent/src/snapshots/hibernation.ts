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
import type { MessageOutbox } from '../reporting/message-outbox.js';
import { KeyLock } from '../shared/key-lock.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { RestoreStore } from './restore-store.js';
import type { SessionSnapshots } from './session-snapshots.js';

interface HibernationParts {
  readonly snapshots: SessionSnapshots;
  readonly restores: RestoreStore;
  readonly records: Pick<SessionRecords, 'beginRestore' | 'endRestore' | 'dropRestoredIdentity'>;
  readonly messages: Pick<MessageOutbox, 'lastSequence'>;
  readonly hosts: SessionHosts;
  readonly sessions: { session(key: SessionKey): SessionRecord };
  readonly workspaces: {
    /** @throws AgentError when it does not run */
    running(workspaceId: string): Workspace;
    /** Keeps the token if it outlives the one that is there. */
    keepToken(workspaceId: string, callbackToken: string): void;
  };
  readonly events: Pick<EventStore, 'add'>;
}

/** Snapshots of sessions, as the control plane asks for them; one at a time for each. */
export class Hibernation {
  private readonly lock = new KeyLock();

  constructor(private readonly parts: HibernationParts) {}

  /** Nothing of the session changes. @throws AgentError */
  hibernate(key: SessionKey, request: HibernateAgentSession): Promise<HibernateAnswer> {
    return this.alone(key, async () => {
      const { messages, snapshots, hosts } = this.parts;
      const session = this.sessionOf(key, request);
      if (session.status === 'stopped')
        throw new AgentError('invalid_transition', 'Session is stopped and cannot be hibernated.');
      const { workspaceId, sessionId, agentType, acpSessionId, settings } = session;
      const answer = await snapshots.hibernate(
        {
          workspace: this.workspaceFor(key, request),
          sessionId,
          agentType,
          acpSessionId,
          settings: { ...settings },
          lastSequence: messages.lastSequence(workspaceId, request.chatSessionId),
          isPrompting: () => (hosts.find(key)?.host.turn ?? null) !== null,
        },
        request,
      );
      this.tell(key, 'hibernated', `A snapshot was stored (${answer.degradation})`);
      return answer;
    });
  }

  /** Into a session that nothing was done with; the same snapshot again is answered as before. @throws AgentError */
  restore(key: SessionKey, request: RestoreAgentSession): Promise<RestoreAnswer> {
    return this.alone(key, async () => {
      const { restores, records, hosts } = this.parts;
      const session = this.sessionOf(key, request);
      const snapshot = request.manifest.archive.sha256;
      const known = restores.answer(key);
      if (known?.snapshot === snapshot) return known.answer;
      const workspace = this.workspaceFor(key, request);
      if (known || !records.beginRestore(session))
        throw new AgentError('session_conflict', 'Only a session that nothing was done with can be restored');
      await hosts.close(key, 'suspended');
      const answer = await this.bringBack(key, workspace, request);
      restores.answered(key, snapshot, answer);
      this.tell(key, 'restored', `A snapshot was restored (${answer.degradation})`);
      return answer;
    });
  }

  private async bringBack(
    key: SessionKey,
    workspace: Workspace,
    request: RestoreAgentSession,
  ): Promise<RestoreAnswer> {
    const { records, snapshots } = this.parts;
    try {
      const missing = await snapshots.restore(workspace, request);
      missing.push(...(await this.resumeAgent(key, request, missing)));
      return {
        status: missing.length === 0 ? 'restored' : 'degraded',
        degradation: degradationOf(missing, request.manifest.degradation),
        missing,
      };
    } catch (error) {
      // Nothing was touched yet, or whatever was is done again by the next attempt.
      records.endRestore(key, null);
      throw error;
    }
  }

  /** The agent itself must show that it goes on with the very same session. */
  private async resumeAgent(
    key: SessionKey,
    { manifest, agentType }: RestoreAgentSession,
    lost: readonly MissingPart[],
  ): Promise<MissingPart[]> {
    const { records, hosts, sessions } = this.parts;
    const gone = (reason: string): MissingPart[] => [{ part: 'agent', path: null, reason }];
    const { acpSessionId, settings } = manifest;
    const isWhole = acpSessionId !== null && manifest.agentType === agentType;
    const hasHome = !lost.some(({ part }) => part === 'home');
    if (!isWhole || !hasHome) {
      records.endRestore(key, null);
      return gone(
        isWhole ? 'Its state in the home did not come back' : 'The snapshot holds no session of this agent',
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
    if (!records.endRestore(key, identity)) return gone('The session was ended meanwhile');
    const { host } = hosts.of(sessions.session(key));
    await host.startChosenAgent();
    if (host.status === 'ready') return [];
    const reason = host.errorMessage ?? 'The coding agent could not be started';
    await hosts.close(key, 'suspended');
    records.dropRestoredIdentity(key);
    return gone(reason);
  }

  private sessionOf(key: SessionKey, { chatSessionId }: { readonly chatSessionId: string }): SessionRecord {
    const session = this.parts.sessions.session(key);
    if (session.chatSessionId !== null && session.chatSessionId !== chatSessionId)
      throw new AgentError('session_conflict', 'The session is of another chat');
    return session;
  }

  private workspaceFor(
    { workspaceId }: SessionKey,
    { workspaceCallbackToken }: { readonly workspaceCallbackToken?: string | undefined },
  ): Workspace {
    const { workspaces } = this.parts;
    const workspace = workspaces.running(workspaceId);
    if (workspaceCallbackToken) workspaces.keepToken(workspaceId, workspaceCallbackToken);
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

function degradationOf(missing: readonly MissingPart[], captured: Degradation): Degradation {
  const lost = new Set(missing.map(({ part }) => part));
  if (lost.has('home') && lost.has('work')) return 'transcript-only';
  if (lost.has('home')) return 'home-skipped';
  if (lost.has('work')) return 'wip-skipped';
  if (lost.has('agent')) return 'agent-context-skipped';
  return captured;
}
