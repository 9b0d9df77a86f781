import type { RequestPermissionRequest, SessionNotification } from '@agentclientprotocol/sdk';
import type { AgentStatus } from '../../../protocol/agent-frames.js';
import type { AgentType, HostStatus } from '../../../protocol/agent-sessions.js';
import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';

/** Where conversations are found; there is at most one of a session. */
export interface Conversations {
  /** The conversation of this session, with all that it has kept in memory; made at the first call. */
  of(session: SessionRecord): ConversationSink;
  /** The session has ended for good: its viewers are gone already, and what is in memory of it may go too. */
  forget(session: SessionKey): void;
}

/**
 * What one session tells the world: its viewers, the control plane's chat, and the activity report. The host calls these
 * in order and from one place; nothing here ever holds the harness up for longer than ACP_NOTIF_SERIALIZE_TIMEOUT.
 */
export interface ConversationSink {
  /**
   * Runs inside the commit that accepts the prompt: writes the person's message, synchronously, into the database that
   * this was made with. When it throws, the prompt is not accepted.
   */
  storePrompt(prompt: StartedPrompt): void;
  /** Runs inside the commit that ends the prompt: writes, synchronously, what of the turn is not written yet. */
  storeRemaining(): void;
  /** The record has changed: its chat, project, kind of agent, restarts. Called outside of any commit. */
  sessionChanged(session: SessionRecord): void;
  /** A prompt was accepted. Its receipt and the user's message are durable in one commit before this is called. */
  promptStarted(prompt: StartedPrompt): void;
  update(notification: SessionNotification): void | Promise<void>;
  permissionRequested(request: RequestPermissionRequest): void;
  promptEnded(end: EndedPrompt): void;
  promptRetried(retry: PromptRetry): void;
  hostStatus(status: HostStatus, error?: string): void;
  agentStatus(status: AgentStatus, agentType: AgentType, error?: string): void;
  crashed(report: CrashReport): void;
  /** Ends all viewers: 1001 with a reason such as `session stopped`. */
  closeViewers(code: number, reason: string): void;
  readonly viewerCount: number;
}

export interface StartedPrompt {
  /** Of the chat message that it came from, or made by the agent. */
  readonly messageId: string;
  readonly text: string;
  readonly origin: 'user' | 'system';
  /** Epoch milliseconds; never changes for this prompt. */
  readonly promptStartedAt: number;
  /** The control plane has sent it, and has its message. */
  readonly isKnown: boolean;
}

export interface PromptRetry {
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly reason: string;
}

export type PromptStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'max_turn_requests'
  | 'refusal'
  | 'cancelled'
  | 'error'
  | 'fatal_error'
  | 'recovered'
  | 'checkpoint_preempted';

export interface EndedPrompt {
  readonly stopReason: PromptStopReason;
  readonly errorMessage: string | null;
  readonly errorCode: string;
  readonly promptStartedAt: number;
}

export interface CrashReport {
  readonly agentType: AgentType;
  readonly isRecovered: boolean;
  readonly message: string;
  readonly stderr: string;
  readonly isStderrTruncated: boolean;
}

/** What a viewer's socket may ask of the session it watches. */
export interface SessionControls {
  readonly hostStatus: HostStatus;
  readonly agentType: AgentType | null;
  readonly errorMessage: string | null;
  selectAgent(agentType: AgentType): Promise<void>;
  /** Rejects with AgentError when another prompt is in flight or the session cannot take one. */
  prompt(text: string, messageId: string | null): Promise<EndedPrompt>;
  cancel(): Promise<boolean>;
}

/** Where a viewer's socket finds the session that it asks for. */
export interface SessionDirectory {
  /**
   * The session, ready to be watched: a suspended one is resumed, an unknown one is made (anew), and without a
   * `sessionId` one is made under an id of the node's own. No harness is started for it. The same `idempotencyKey`
   * finds what it made before.
   * @throws AgentError `session_not_running` for one that was stopped, `session_create_failed` when none could be made
   */
  attach(request: AttachRequest): Promise<AttachedSession>;
}

export interface AttachRequest {
  readonly workspaceId: string;
  readonly sessionId: string | null;
  /** Path of a listed worktree, for a session that is made now. */
  readonly worktree: string | null;
  readonly idempotencyKey: string | null;
}

export interface AttachedSession {
  readonly session: SessionRecord;
  readonly controls: SessionControls;
}
