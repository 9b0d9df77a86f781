import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { ConversationSink, Conversations } from '../conversation/conversation.js';
import type { Harnesses, HarnessListener } from '../harness/harness.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessSeat } from './harness-slot.js';
import { Launcher } from './harness-starter.js';
import type { HostLimits } from './host-limits.js';
import type { Ending } from './host-state.js';
import { SessionHost } from './session-host.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionStore } from './session-store.js';
import type { TurnRecords } from './turn-records.js';

export interface HostsParts {
  readonly store: SessionStore;
  readonly records: TurnRecords;
  readonly harnesses: Harnesses;
  readonly conversations: Conversations;
  readonly limits: HostLimits;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
  readonly workspace: (workspaceId: string) => Workspace | null;
  readonly decidePermission: (
    session: SessionRecord,
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<RequestPermissionResponse>;
  readonly now: () => number;
}

export interface HostedSession {
  readonly host: SessionHost;
  readonly sink: ConversationSink;
}

/** The hosts of this node's sessions: at most one a session, made when it is first looked for. */
export class Hosts {
  private readonly hosted = new Map<string, HostedSession>();

  constructor(private readonly parts: HostsParts) {}

  find(key: SessionKey): HostedSession | null {
    return this.hosted.get(nameOf(key)) ?? null;
  }

  /** Of a session that runs, or whose error is to be looked at. */
  of(session: SessionRecord): HostedSession {
    const found = this.find(session);
    if (found) return found;
    const made = this.make(session);
    this.hosted.set(nameOf(session), made);
    return made;
  }

  /** Ends the host, if there is one; a later look makes another. */
  async close(key: SessionKey, ending: Ending): Promise<void> {
    const found = this.find(key);
    await found?.host.close(ending);
    this.hosted.delete(nameOf(key));
  }

  async closeAll(ending: Ending): Promise<void> {
    const all = [...this.hosted.values()].map(({ host }) => host.close(ending));
    this.hosted.clear();
    await Promise.all(all);
  }

  private make(session: SessionRecord): HostedSession {
    const { workspaceId, sessionId } = session;
    const key = { workspaceId, sessionId };
    const { store, harnesses, conversations, limits, events, now } = this.parts;
    const sink = conversations.of(session);
    const seat = new HarnessSeat(harnesses, limits);
    const workspace = () => this.parts.workspace(workspaceId);
    const launcher = new Launcher(key, {
      store,
      seat,
      listener: this.listener(key, sink, () => host),
      limits: limits.restarts,
      events,
      sink,
      workspace,
      now,
    });
    const host: SessionHost = new SessionHost({ ...this.parts, key, seat, launcher, sink }, session);
    return { host, sink };
  }

  private listener(key: SessionKey, sink: ConversationSink, host: () => SessionHost): HarnessListener {
    return {
      onUpdate: (notification) => {
        host().turn?.hear(notification.update.sessionUpdate);
        return sink.update(notification);
      },
      onPermission: async (request, signal, permissionMode) => {
        host().turn?.hear('tool_call');
        sink.permissionRequested(request);
        const session = this.parts.store.find(key);
        if (!session) return { outcome: { outcome: 'cancelled' } };
        const settings = { ...session.settings, permissionMode };
        return this.parts.decidePermission({ ...session, settings }, request, signal);
      },
      onStatus: (status) => {
        const agentType = host().agentType;
        if (agentType) sink.agentStatus(status, agentType);
      },
    };
  }
}

function nameOf({ workspaceId, sessionId }: SessionKey): string {
  return `${workspaceId}/${sessionId}`;
}
