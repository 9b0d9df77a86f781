import { maxSnapshotSessions, type SnapshotSession } from '../../../protocol/snapshots.js';
import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import type { MessageSequences } from '../reporting/outbox-message.js';

interface SessionSources {
  readonly records: Pick<SessionRecords, 'list'>;
  readonly sequences: Pick<MessageSequences, 'last'>;
  readonly hosts: Pick<SessionHosts, 'find'>;
}

/** The sessions of a workspace that are not stopped, as a manifest lists them. */
export function snapshotSessions(sources: SessionSources, workspaceId: string): SnapshotSession[] {
  return sources.records
    .list(workspaceId)
    .filter(({ status }) => status !== 'stopped')
    .slice(0, maxSnapshotSessions)
    .map((session) => snapshotSession(sources, session));
}

function snapshotSession({ sequences, hosts }: SessionSources, session: SessionRecord): SnapshotSession {
  const { workspaceId, chatSessionId } = session;
  return {
    agentSessionId: session.sessionId,
    chatSessionId,
    agentType: session.agentType,
    acpSessionId: session.acpSessionId,
    label: session.label,
    projectId: session.projectId,
    taskId: session.taskId,
    taskMode: session.taskMode,
    workDir: session.workDir,
    settings: { ...session.settings },
    lastSequence: chatSessionId ? sequences.last(workspaceId, chatSessionId) : 0,
    isPrompting: (hosts.find(session)?.host.turn ?? null) !== null,
  };
}
