import type { ConversationSink, Conversations } from '../conversation/conversation.js';
import type { Harnesses, HarnessListener } from '../harness/harness.js';
import { type DecidePermission, HarnessRequests } from '../interactions/harness-requests.js';
import type { InteractionReports } from '../interactions/interaction-reports.js';
import { SessionInteractions } from '../interactions/session-interactions.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { HarnessSlot } from './harness-slot.js';
import { HarnessStarter } from './harness-starter.js';
import { type HostLimits, promptTimeoutOf } from './host-limits.js';
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
  readonly decidePermission: DecidePermission;
  readonly interactionReports: Pick<InteractionReports, 'open'>;
  readonly now: () => number;
}

export interface HostedSession {
  readonly key: SessionKey;
  readonly host: SessionHost;
  readonly sink: ConversationSink;
  readonly interactions: SessionInteractions;
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
    const interactions = new SessionInteractions({
      runtimeIdentity: records.runtimeIdentity,
      record: () => records.find(key),
      sink,
      reports: this.deps.interactionReports,
      now,
    });
    const workspace = () => this.deps.workspace(workspaceId);
    const starter = new HarnessStarter(key, {
      records,
      slot,
      listener: this.listener({ key, sink, interactions }, () => host),
      limits: limits.restarts,
      events,
      sink,
      offerNewSession: (failure) => host.offerNewSession(failure),
      beforeStart: () => interactions.renew(),
      workspace,
      now,
    });
    const host: SessionHost = new SessionHost(
      { ...this.deps, key, slot, starter, sink, interactions },
      session,
    );
    return { key, host, sink, interactions };
  }

  private listener(
    { key, sink, interactions }: Omit<HostedSession, 'host'>,
    host: () => SessionHost,
  ): HarnessListener {
    const { decidePermission } = this.deps;
    const promptEndsAt = () => this.promptEndsAt(key, host());
    const requests = new HarnessRequests({ interactions, sink, decidePermission, promptEndsAt });
    const noticed = new Set<string>();
    return {
      onUpdate: (notification) => {
        host().turn?.recordUpdate(notification.update);
        return sink.update(notification);
      },
      onPermission: async (request, signal, permissionMode) => {
        host().turn?.recordOutput();
        sink.permissionRequested(request);
        return requests.permission(request, signal, permissionMode);
      },
      onElicitation: async (request, signal) => {
        host().turn?.recordOutput();
        return requests.elicitation(request, signal);
      },
      onElicitationCompleted: (elicitationId) => interactions.completeUrl(elicitationId),
      onStatus: (status) => {
        const agentType = host().agentType;
        if (agentType) sink.agentStatus(status, agentType);
      },
      onNotice: (notice) => {
        // A later start of the harness may meet the same.
        if (notice.code !== 'setting_refused' || !noticed.has(notice.text)) sink.notice(notice);
        noticed.add(notice.text);
      },
      onBackgroundWork: (count) => {
        host().backgroundWork = count;
        sink.backgroundWork(count);
      },
    };
  }

  /** The hard deadline of the prompt in flight; null without one. */
  private promptEndsAt(key: SessionKey, { turn }: SessionHost): number | null {
    const { limits, records } = this.deps;
    const timeoutMs = promptTimeoutOf(limits, records.find(key));
    return turn && timeoutMs > 0 ? turn.prompt.promptStartedAt + timeoutMs : null;
  }
}

function nameOf({ workspaceId, sessionId }: SessionKey): string {
  return `${workspaceId}/${sessionId}`;
}
