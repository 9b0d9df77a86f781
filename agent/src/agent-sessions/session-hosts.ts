import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { ConversationSink, Conversations } from '../conversation/conversation.js';
import type { Harnesses, HarnessListener } from '../harness/harness.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessSlot } from './harness-slot.js';
import { HarnessStarter } from './harness-starter.js';
import type { HostLimits } from './host-limits.js';
import type { HostEnding } from './host-state.js';
import { SessionHost } from './session-host.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';
import type { TaskWork } from './task-work.js';

export interface SessionHostsDeps {
  readonly records: SessionRecords;
  readonly harnesses: Harnesses;
  readonly conversations: Conversations;
  readonly taskWork: TaskWork;
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
  readonly key: SessionKey;
  readonly host: SessionHost;
  readonly sink: ConversationSink;
}

/** The session hosts of this node. Creates the host of a session on first use. */
export class SessionHosts {
  private readonly hosted = new Map<string, HostedSession>();

  constructor(private readonly deps: SessionHostsDeps) {}

  find(key: SessionKey): HostedSession | null {
    return this.hosted.get(nameOf(key)) ?? null;
  }

  /** Creates the host of a `running` or `error` session when it has none. */
  of(session: SessionRecord): HostedSession {
    const found = this.find(session);
    if (found) return found;
    const made = this.make(session);
    this.hosted.set(nameOf(session), made);
    return made;
  }

  /** Workspaces of working sessions that report their activity to no project. */
  workingOutsideProjects(): readonly string[] {
    const working = [...this.hosted.values()].filter(({ host }) => host.status === 'prompting');
    const outside = working.filter(({ key }) => this.deps.records.find(key)?.projectId === null);
    return outside.map(({ key }) => key.workspaceId);
  }

  /** Ends the host. The next `of` creates another. */
  async close(key: SessionKey, ending: HostEnding): Promise<void> {
    const found = this.find(key);
    await found?.host.close(ending);
    this.hosted.delete(nameOf(key));
  }

  async closeAll(ending: HostEnding): Promise<void> {
    const all = [...this.hosted.values()].map(({ host }) => host.close(ending));
    this.hosted.clear();
    await Promise.all(all);
  }

  private make(session: SessionRecord): HostedSession {
    const { workspaceId, sessionId } = session;
    const key = { workspaceId, sessionId };
    const { records, harnesses, conversations, limits, events, now } = this.deps;
    const sink = conversations.of(session);
    const slot = new HarnessSlot(harnesses, limits);
    const workspace = () => this.deps.workspace(workspaceId);
    const starter = new HarnessStarter(key, {
      records,
      slot,
      listener: this.listener(key, sink, () => host),
      limits: limits.restarts,
      events,
      sink,
      offerNewSession: (failure) => host.offerNewSession(failure),
      workspace,
      now,
    });
    const host: SessionHost = new SessionHost({ ...this.deps, key, slot, starter, sink }, session);
    return { key, host, sink };
  }

  private listener(key: SessionKey, sink: ConversationSink, host: () => SessionHost): HarnessListener {
    const noticed = new Set<string>();
    return {
      onUpdate: (notification) => {
        host().turn?.recordUpdate(notification.update);
        return sink.update(notification);
      },
      onPermission: async (request, signal, permissionMode) => {
        host().turn?.recordOutput();
        sink.permissionRequested(request);
        const session = this.deps.records.find(key);
        if (!session) return { outcome: { outcome: 'cancelled' } };
        const settings = { ...session.settings, permissionMode };
        return this.deps.decidePermission({ ...session, settings }, request, signal);
      },
      onStatus: (status) => {
        const agentType = host().agentType;
        if (agentType) sink.agentStatus(status, agentType);
      },
      onNotice: (notice) => {
        // A later start of the harness may meet the same.
        if (notice.code !== 'setting_refused' || !noticed.has(notice.text)) sink.notice(notice);
        noticed.add(notice.text);
      },
      onBackgroundWork: (count) => sink.backgroundWork(count),
    };
  }
}

function nameOf({ workspaceId, sessionId }: SessionKey): string {
  return `${workspaceId}/${sessionId}`;
}
