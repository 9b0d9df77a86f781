import type { EvictionReason } from '../../../protocol/eviction.js';
import type { Conversations } from '../conversation/conversation.js';
import { AgentError } from '../errors.js';
import { evictionText, isEvictionReason } from '../eviction/eviction-text.js';
import type { EventStore } from '../store/event-store.js';
import { restoring } from './restore-fences.js';
import type { SessionHosts } from './session-hosts.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';

interface SessionEndingsDeps {
  readonly records: SessionRecords;
  readonly hosts: SessionHosts;
  readonly conversations: Conversations;
  readonly tabs: { sessionClosed(session: SessionKey): void };
  readonly events: Pick<EventStore, 'add'>;
}

/** Why the agents of a workspace end that may continue. */
export type SuspendedEnding = 'suspended' | EvictionReason;

const goingAway = 1001;

/** Ends the agents of sessions. The caller runs the transitions of one session one at a time. */
export class SessionEndings {
  constructor(private readonly deps: SessionEndingsDeps) {}

  /** A stopped session never runs again. */
  async stop(session: SessionRecord): Promise<void> {
    const { records, conversations, tabs } = this.deps;
    const key = keyOf(session);
    if (!records.stop(key)) return;
    await this.close(session, 'stopped');
    conversations.forget(key);
    tabs.sessionClosed(key);
    this.addEvent(key, 'stopped', 'Session stopped');
  }

  /** A suspended session keeps its conversation. @throws AgentError invalid_transition */
  async suspend(session: SessionRecord): Promise<void> {
    if (session.status === 'stopped')
      throw new AgentError(
        'invalid_transition',
        'Session is stopped and cannot be suspended. Create another session.',
      );
    refuseDuringRestore(session);
    const key = keyOf(session);
    if (!this.deps.records.suspend(key)) return;
    await this.close(session, 'suspended');
    this.addEvent(key, 'suspended', 'Session suspended');
  }

  /** For a session whose workspace stops, or is evicted. */
  closeSuspended(session: SessionRecord, ending: SuspendedEnding): Promise<void> {
    return this.close(session, ending);
  }

  private async close(session: SessionRecord, ending: 'stopped' | SuspendedEnding): Promise<void> {
    const { hosts, conversations } = this.deps;
    await hosts.close(keyOf(session), ending);
    const why = isEvictionReason(ending) ? evictionText[ending] : `session ${ending}`;
    conversations.of(session).closeViewers(goingAway, why);
  }

  private addEvent({ workspaceId, sessionId }: SessionKey, what: string, message: string): void {
    const type = `agent_session.${what}`;
    this.deps.events.add({ workspaceId, level: 'info', type, message, detail: { sessionId } });
  }
}

/** @throws AgentError invalid_transition during a restore, and after an interrupted one */
export function refuseDuringRestore({ status, errorMessage }: SessionRecord): void {
  if (status === 'error' && errorMessage === restoring) throw new AgentError('invalid_transition', restoring);
}

const keyOf = ({ workspaceId, sessionId }: SessionRecord): SessionKey => ({ workspaceId, sessionId });
