import type { McpServer } from '../../../protocol/agent-sessions.js';
import type { InteractionSettings } from '../../../protocol/interactions.js';
import type { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import type { SnapshotManifest, SnapshotSession } from '../../../protocol/snapshots.js';
import type { RestoredIdentity } from '../agent-sessions/restore-fences.js';
import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import { AgentError } from '../errors.js';

type SessionResult = RestoreResult['sessions'][number];

interface RestoredSessionsDeps {
  readonly records: Pick<
    SessionRecords,
    'list' | 'find' | 'beginRestore' | 'endRestore' | 'replaceGiven' | 'dropRestoredIdentity'
  >;
  readonly hosts: SessionHosts;
}

/** How the sessions of a workspace continue after its files are restored. */
export interface Continuation {
  /** Null when there is no snapshot. */
  readonly manifest: SnapshotManifest | null;
  /** False when the state of the agents was not restored. */
  readonly hasHome: boolean;
  /** The session whose harness starts now. The others start with their next prompts. */
  readonly leaderId: string;
  readonly mcpServers: Readonly<Record<string, readonly McpServer[]>>;
  readonly interactions: Readonly<Record<string, InteractionSettings>>;
}

export interface ContinuedSession {
  readonly session: SessionResult;
  /** Why its conversation is lost; null when it had none, or has it. */
  readonly lost: string | null;
}

/** The sessions of a workspace during a restore. */
export class RestoredSessions {
  constructor(private readonly deps: RestoredSessionsDeps) {}

  /** Refuses prompts until `continue`, and ends the harnesses. @throws AgentError */
  async fence(workspaceId: string): Promise<readonly SessionRecord[]> {
    const { records, hosts } = this.deps;
    const open = records.list(workspaceId).filter(({ status }) => status !== 'stopped');
    if (open.some((session) => hosts.find(session)?.host.turn))
      throw new AgentError('session_conflict', 'A session of the workspace is in use');
    for (const session of open) records.beginRestore(session);
    for (const session of open) await hosts.close(session, 'suspended');
    return open;
  }

  async continue(session: SessionRecord, continuation: Continuation): Promise<ContinuedSession> {
    const { sessionId } = session;
    const captured = capturedOf(session, continuation);
    const identity = continuation.hasHome ? identityOf(captured) : null;
    const agentType = captured?.agentType ?? session.agentType;
    this.deps.records.replaceGiven(session, { interactions: continuation.interactions[sessionId] });
    const isRestored = this.deps.records.endRestore(session, {
      identity,
      isConversationLost: agentType !== null && identity === null,
      work: captured,
      mcpServers: continuation.mcpServers[sessionId],
    });
    const result = { agentSessionId: sessionId, agentType, hasConversation: false };
    if (agentType === null) return { session: result, lost: null };
    if (identity === null) return { session: result, lost: lossOf(continuation) };
    // The other sessions load their conversations with their next prompts.
    const isLeader = isRestored && sessionId === continuation.leaderId;
    const lost = isLeader ? await this.load(session) : null;
    return { session: { ...result, hasConversation: isRestored && lost === null }, lost };
  }

  /** Null when the harness has proved that it continues the ACP session. */
  private async load({ workspaceId, sessionId }: SessionKey): Promise<string | null> {
    const { hosts, records } = this.deps;
    const key = { workspaceId, sessionId };
    const session = records.find(key);
    if (!session) return 'The session was removed';
    const { host } = hosts.of(session);
    await host.startChosenAgent({ isStrict: true });
    if (host.status === 'ready') return null;
    const reason = host.errorMessage ?? 'The coding agent could not be started';
    await hosts.close(key, 'suspended');
    records.dropRestoredIdentity(key);
    return reason;
  }
}

const capturedOf = ({ sessionId }: SessionRecord, { manifest }: Continuation): SnapshotSession | null =>
  manifest?.sessions.find(({ agentSessionId }) => agentSessionId === sessionId) ?? null;

/** Null without a snapshot: the whole restore says so. */
function lossOf({ manifest, hasHome }: Continuation): string | null {
  if (manifest === null) return null;
  return hasHome ? 'The snapshot has no ACP session' : 'The home was not restored';
}

/** Null when the agent has no ACP session to load. */
function identityOf(captured: SnapshotSession | null): RestoredIdentity | null {
  if (!captured?.acpSessionId || !captured.agentType) return null;
  const { agentType, acpSessionId, settings } = captured;
  const kept = (name: string) => settings[name] ?? null;
  return {
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
}
