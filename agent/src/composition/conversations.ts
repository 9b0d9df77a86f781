import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { ActivityReport } from '../../../protocol/agent-callbacks.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { Config } from '../config/config.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { NodeToken } from '../control-plane/node-token.js';
import { LiveConversations } from '../conversation/live-conversations.js';
import type { ToolCallListener } from '../conversation/tool-call-listener.js';
import { agentOf, type ReportedActivity } from '../reporting/activity.js';
import { ActivityReporter } from '../reporting/activity-reporter.js';
import { MessageDeliveries } from '../reporting/message-deliveries.js';
import { MessageOutbox } from '../reporting/message-outbox.js';
import { ProjectHeartbeats } from '../reporting/project-heartbeats.js';
import { Transcript } from '../reporting/transcript.js';
import type { Log } from '../shared/log.js';
import { uploadObject } from '../snapshots/object-transfer.js';
import type { EventStore } from '../store/event-store.js';
import type { WorkspaceStore } from '../store/workspace-store.js';

/** Dropped messages of one workspace are reported at most once a minute. */
const dropReportMs = 60_000;

interface ConversationDeps {
  readonly database: DatabaseSync;
  readonly store: WorkspaceStore;
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly events: EventStore;
  readonly tools: ToolCallListener;
  readonly log: Log;
}

export interface ConversationServices {
  readonly conversations: LiveConversations;
  readonly outbox: MessageOutbox;
  readonly deliveries: MessageDeliveries;
  readonly projectHeartbeats: ProjectHeartbeats;
}

/** Conversations of agent sessions, and the delivery of their messages to the control plane. */
export function composeConversations(config: Config, deps: ConversationDeps): ConversationServices {
  const { database, store, controlPlane, token, events, tools, log } = deps;
  const { buffer, viewers, activity, messages, heartbeatMs } = config.conversations;
  const now = () => new Date();
  const outbox = new MessageOutbox(database, messages.outbox, dropReporter(events, log));
  const deliveries = new MessageDeliveries(messages.delivery, {
    outbox,
    find: (workspaceId) => store.find(workspaceId),
    controlPlane,
    putObject: uploadObject,
    takePiggyback: (workspaceId, chatSessionId) => conversations.takePiggyback(workspaceId, chatSessionId),
    events,
    log,
    now: Date.now,
    random: Math.random,
  });
  const wake = deliveries.wake.bind(deliveries);
  const send = activitySender(config, deps);
  const hasUnsentMessages = ({ workspaceId, chatSessionId }: SessionRecord) =>
    chatSessionId !== null && outbox.hasMessages(workspaceId, chatSessionId);
  const settings = { ...activity, working: { attempts: 2, backoffMs: 500 } };
  const conversations = new LiveConversations((session) => ({
    buffer,
    viewers,
    tools,
    now,
    transcript: new Transcript(session, { outbox, wake, log, now }),
    activity: new ActivityReporter(session, { settings, send, hasUnsentMessages, log }),
  }));
  const projectHeartbeats = new ProjectHeartbeats(
    { nodeId: config.nodeId, intervalMs: heartbeatMs, timeoutMs: activity.timeoutMs },
    { database, controlPlane, token, log },
  );
  return { conversations, outbox, deliveries, projectHeartbeats };
}

/** Every attempt with the token that the workspace has by then. */
function activitySender({ nodeId, conversations }: Config, { store, controlPlane }: ConversationDeps) {
  return async (session: SessionRecord, activity: ReportedActivity): Promise<void> => {
    const { workspaceId, sessionId, projectId } = session;
    const workspace = store.find(workspaceId);
    if (!workspace || controlPlane.isStopped) return;
    const report: ActivityReport = {
      ...activity,
      ...agentOf(session),
      nodeId,
      workspaceId,
      generation: workspace.generation,
    };
    await controlPlane.post({
      path: `/api/projects/${projectId}/acp-sessions/${sessionId}/activity`,
      token: workspace.callbackToken,
      body: report,
      answer: z.unknown(),
      timeoutMs: conversations.activity.timeoutMs,
    });
  };
}

function dropReporter(events: EventStore, log: Log) {
  const reportedAt = new Map<string, number>();
  return (workspaceId: string, chatSessionId: string): void => {
    if (Date.now() - (reportedAt.get(workspaceId) ?? 0) < dropReportMs) return;
    reportedAt.set(workspaceId, Date.now());
    const message = 'Too many messages wait for the control plane; new ones are dropped';
    log.error(message, { workspaceId, chatSessionId });
    const detail = { chatSessionId };
    events.add({ workspaceId, level: 'error', type: 'messages.dropped', message, detail });
  };
}
