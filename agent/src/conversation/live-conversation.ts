import type { RequestPermissionRequest, SessionNotification } from '@agentclientprotocol/sdk';
import {
  type AgentServerFrame,
  type AgentStatus,
  agentCloseCodes,
  type JsonRpcResponse,
} from '../../../protocol/agent-frames.js';
import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { InteractionServerFrame } from '../../../protocol/interaction-frames.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import type { PiggybackedActivity } from '../reporting/activity.js';
import type { ActivityReporter } from '../reporting/activity-reporter.js';
import type { Transcript } from '../reporting/transcript.js';
import type {
  ConversationSink,
  CrashReport,
  EndedPrompt,
  PromptRetry,
  SessionControls,
  StartedPrompt,
  TurnEnd,
} from './conversation.js';
import { conversationActivity } from './conversation-activity.js';
import { FrameBuffer, type FrameBufferLimits } from './frame-buffer.js';
import { type Notice, noticeOfEnd } from './notice.js';
import type { ToolCallListener } from './tool-call-listener.js';
import { Viewer, type ViewerLimits, type ViewerSocket } from './viewer.js';

/** After this many updates in a row, the event loop runs other work. */
const maxUpdatesPerTick = 256;
/** Joins what arrives within this time into one frame: a frame costs more than its content. */
const minPumpIntervalMs = 5;

export interface ConversationDeps {
  readonly buffer: FrameBufferLimits;
  readonly viewers: ViewerLimits;
  readonly transcript: Transcript;
  readonly activity: ActivityReporter;
  readonly tools: ToolCallListener;
  readonly now: () => Date;
}

/** Sends the events of one session to viewers, chat and control plane. Viewers never block. */
export class LiveConversation implements ConversationSink, AsyncDisposable {
  private readonly buffer: FrameBuffer;
  private readonly viewers = new Set<Viewer>();
  private status: { readonly host: HostStatus; readonly error: string | null } = {
    host: 'idle',
    error: null,
  };
  private isPumpDue = false;
  private pumpedAt = 0;
  private updates = 0;

  constructor(
    private session: SessionRecord,
    private readonly deps: ConversationDeps,
  ) {
    this.buffer = new FrameBuffer(deps.buffer);
  }

  get viewerCount(): number {
    return this.viewers.size;
  }

  /** Sends the viewer the replay, then each new frame. */
  attach(socket: ViewerSocket, controls: SessionControls): { readonly viewer: Viewer; detach(): void } {
    this.status = { host: controls.hostStatus, error: controls.errorMessage };
    const state = (replayCount: number) => this.state(replayCount, controls.agentType);
    const options = { limits: this.deps.viewers, state, afterReplay: () => controls.interactions };
    const viewer: Viewer = new Viewer(this.buffer, socket, options);
    this.viewers.add(viewer);
    viewer.pump();
    const detach = () => {
      viewer.end();
      this.viewers.delete(viewer);
    };
    return { viewer, detach };
  }

  /** Sends the answer to a prompt of a viewer to all viewers, after the frames of the turn. */
  respond(response: JsonRpcResponse): void {
    this.send(response, { isReplayed: false });
  }

  storePrompt(prompt: StartedPrompt): void {
    this.deps.transcript.storePrompt(prompt);
  }

  storeRemaining(end: TurnEnd): void {
    this.deps.transcript.storeRemaining(noticeOfEnd(end));
  }

  isOfChat(workspaceId: string, chatSessionId: string): boolean {
    return this.session.workspaceId === workspaceId && this.session.chatSessionId === chatSessionId;
  }

  takePiggyback(): PiggybackedActivity {
    return this.deps.activity.takePiggyback();
  }

  sessionChanged(session: SessionRecord): void {
    this.session = session;
    this.deps.transcript.sessionChanged(session);
    this.deps.activity.sessionChanged(session);
  }

  promptStarted(prompt: StartedPrompt): void {
    const { messageId, text, origin, promptStartedAt } = prompt;
    this.deps.transcript.promptStored(prompt);
    this.deps.activity.set({ activity: 'prompting', promptStartedAt });
    const update = {
      sessionUpdate: 'user_message_chunk',
      messageId,
      content: { type: 'text', text },
    };
    const params = { ...this.ofSession, update, origin };
    this.send({ jsonrpc: '2.0', method: 'session/update', params });
    this.send({ type: 'session_prompting', promptStartedAt });
  }

  /** Returns a promise after many updates in a row, so that the event loop runs other work. */
  update(notification: SessionNotification): void | Promise<void> {
    // `promptStarted` has sent the prompt already. Some harnesses echo it.
    if (notification.update.sessionUpdate === 'user_message_chunk') return;
    this.deps.transcript.record(notification);
    this.deps.tools.update(this.session, notification);
    this.buffer.addUpdate({ ...notification, ...this.ofSession });
    this.pumpSoon();
    this.updates += 1;
    if (this.updates < maxUpdatesPerTick) return;
    this.updates = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  permissionRequested(request: RequestPermissionRequest): void {
    this.send(
      { jsonrpc: '2.0', method: 'permission/request', params: { ...request, ...this.ofSession } },
      { isReplayed: false },
    );
  }

  interaction(frame: InteractionServerFrame): void {
    this.send(frame, { isReplayed: false });
  }

  promptEnded(end: EndedPrompt): void {
    this.deps.transcript.turnEnded();
    this.deps.tools.turnEnded(this.session);
    this.deps.activity.set(conversationActivity.ofEnd(end));
    const notice = noticeOfEnd(end);
    if (notice) this.sendNotice(notice);
    this.send({ type: 'session_prompt_done', stopReason: end.stopReason });
  }

  notice(notice: Notice): void {
    this.deps.transcript.addNotice(notice);
    this.sendNotice(notice);
  }

  backgroundWork(count: number): void {
    this.deps.activity.setWork(count);
  }

  promptRetried(retry: PromptRetry): void {
    this.send({ type: 'agent_retry', ...retry });
  }

  hostStatus(status: HostStatus, error?: string): void {
    this.status = { host: status, error: error ?? null };
    const activity = conversationActivity.ofHost(status, error ?? null);
    if (activity) this.deps.activity.set(activity);
    this.send(this.state(0, this.session.agentType), { isReplayed: false });
  }

  agentStatus(status: AgentStatus, agentType: AgentType, error?: string): void {
    this.send({ type: 'agent_status', status, agentType, ...(error === undefined ? {} : { error }) });
  }

  crashed(report: CrashReport): void {
    this.send({
      type: 'agent_crash_report',
      agentType: report.agentType,
      recovered: report.isRecovered,
      message: report.message,
      ...(report.stderr ? { stderr: report.stderr } : {}),
      stderrTruncated: report.isStderrTruncated,
      timestamp: this.deps.now().toISOString(),
    });
  }

  closeViewers(code: number, reason: string): void {
    // Buffered frames are still sent, as far as the socket takes them.
    for (const viewer of this.viewers) {
      viewer.pump();
      viewer.close(code, reason);
    }
    this.viewers.clear();
  }

  /** Closes viewers, writes remaining messages and sends the last activity. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.closeViewers(agentCloseCodes.goingAway, 'session closed');
    this.deps.transcript.end();
    await this.deps.activity[Symbol.asyncDispose]();
  }

  private sendNotice({ code, text: message }: Notice): void {
    this.send({ type: 'agent_notice', code, message });
  }

  /**
   * The id in all frames: viewers attach with it. The id of the harness is known only after its
   * first start, and changes with a new conversation.
   */
  private get ofSession(): { readonly sessionId: string } {
    return { sessionId: this.session.sessionId };
  }

  private state(replayCount: number, agentType: AgentType | null): AgentServerFrame {
    const { host, error } = this.status;
    const { lostCount } = this.buffer;
    return {
      type: 'session_state',
      status: host,
      ...(agentType === null ? {} : { agentType }),
      ...(error === null ? {} : { error }),
      replayCount,
      ...(lostCount > 0 ? { lostCount } : {}),
    };
  }

  private send(frame: object, { isReplayed } = { isReplayed: true }): void {
    this.buffer.addFrame(frame, { isReplayed });
    this.pumpSoon();
  }

  /** Sends at once after a pause, else after `minPumpIntervalMs`, so that pieces are joined. */
  private pumpSoon(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    const waitMs = this.pumpedAt + minPumpIntervalMs - performance.now();
    if (waitMs <= 0) setImmediate(() => this.pump());
    else setTimeout(() => this.pump(), waitMs);
  }

  private pump(): void {
    this.isPumpDue = false;
    this.pumpedAt = performance.now();
    this.updates = 0;
    for (const viewer of this.viewers) viewer.pump();
  }
}
