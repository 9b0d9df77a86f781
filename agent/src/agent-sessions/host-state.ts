import type { AgentStatus } from '../../../protocol/agent-frames.js';
import type { HostStatus } from '../../../protocol/agent-sessions.js';
import type { EvictionReason } from '../../../protocol/eviction.js';
import type { ConversationSink, TurnEnd } from '../conversation/conversation.js';
import { noticeOfFailure, noticeOfLostConversation } from '../conversation/notice.js';
import type { HarnessError } from '../harness/harness.js';
import type { SessionInteractions } from '../interactions/session-interactions.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { HarnessSlot } from './harness-slot.js';
import type { HarnessStarter } from './harness-starter.js';
import type { HostLimits } from './host-limits.js';
import type { RolloverEnd } from './rollover-store.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';
import type { TaskWork } from './task-work.js';
import { maxStderr, type Turn } from './turn.js';

export interface HostDeps {
  readonly key: SessionKey;
  readonly records: SessionRecords;
  readonly slot: HarnessSlot;
  readonly starter: HarnessStarter;
  readonly sink: ConversationSink;
  readonly interactions: SessionInteractions;
  readonly taskWork: TaskWork;
  readonly limits: HostLimits;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

interface HostEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly what: string;
  readonly message: string;
  readonly detail?: object;
}

interface AfterTurn {
  /** The status of the host. */
  readonly next: HostStatus;
  readonly rollover?: RolloverEnd | undefined;
}

/** Why a host ends. After `shutdown`, the next run of the agent marks the receipt ambiguous. */
export type HostEnding = 'stopped' | 'suspended' | 'shutdown' | EvictionReason;

/** The in-memory state of a session host, shared by the classes that make up the host. */
export class HostState {
  status: HostStatus;
  errorMessage: string | null;
  /** The prompt in flight. */
  turn: Turn | null = null;
  ending: HostEnding | null = null;
  /** Aborted when the host ends. */
  readonly lifetime = new AbortController();

  constructor(
    readonly deps: HostDeps,
    session: SessionRecord,
  ) {
    this.status = session.status === 'error' ? 'error' : 'idle';
    this.errorMessage = session.errorMessage;
  }

  get record(): SessionRecord | null {
    return this.deps.records.find(this.deps.key);
  }

  setStatus(status: HostStatus): void {
    if (this.ending !== null && status !== 'idle' && status !== 'stopped') return;
    this.status = status;
    this.deps.sink.hostStatus(status, this.errorMessage ?? undefined);
  }

  publishRecord(): void {
    const { record } = this;
    if (record) this.deps.sink.sessionChanged(record);
  }

  /** Reports the status of the coding agent once its type is known. */
  publishAgentStatus(status: AgentStatus, error?: string): void {
    const agentType = this.record?.agentType;
    if (agentType) this.deps.sink.agentStatus(status, agentType, error);
  }

  addEvent({ level, what, message, detail = {} }: HostEvent): void {
    const { workspaceId, sessionId } = this.deps.key;
    const type = `agent_session.${what}`;
    this.deps.events.add({ workspaceId, level, type, message, detail: { sessionId, ...detail } });
  }

  /** Commits the end of the turn, then reports it to viewers. */
  endTurn(turn: Turn, end: TurnEnd, { next, rollover }: AfterTurn): void {
    if (this.turn !== turn) return;
    try {
      const { key, sink } = this.deps;
      this.deps.records.endPrompt(turn, end, { key, sink, ...(rollover && { rollover }) });
    } catch (error) {
      // The receipt stays in flight. The next run of the agent marks it ambiguous.
      this.deps.log.error('Could not write the end of a prompt', { ...this.deps.key, error });
    }
    this.turn = null;
    this.status = this.ending ? this.status : next;
    const ended = { ...end, promptStartedAt: turn.prompt.promptStartedAt };
    this.deps.sink.promptEnded(ended);
    this.setStatus(this.status);
    turn.finish(ended);
  }

  /**
   * After a failed load: the next start opens a new ACP session. Returns false for another
   * failure, and while the host ends.
   */
  loseConversation(error: HarnessError): boolean {
    if (error.kind !== 'not_loaded' || this.ending) return false;
    const { records, key, log } = this.deps;
    if (!records.loseConversation(key)) return false;
    log.error('The coding agent could not load its conversation', { ...key, error });
    this.addEvent({ level: 'error', what: 'conversation_lost', message: error.message });
    this.publishRecord();
    return true;
  }

  /** After a failed restart. A prompt that waits for the restart ends with the reason. */
  failOrOffer(error: HarnessError): void {
    if (!this.loseConversation(error)) {
      this.fail(error, 'failed', { isInChat: this.turn !== null });
      return;
    }
    this.deps.sink.notice(noticeOfLostConversation(error.message));
    this.setStatus('idle');
  }

  /**
   * Moves the session to `error`. Does nothing while the host ends.
   * @param isInChat the end of a turn has stated the failure in the chat
   */
  fail(error: HarnessError, what: 'start_failed' | 'failed', { isInChat } = { isInChat: false }): void {
    if (this.ending) return;
    const { records, key, log } = this.deps;
    const message = describe(error);
    records.fail(key, message);
    this.errorMessage = message;
    log.error('Agent session failed', { ...key, error });
    this.addEvent({ level: 'error', what, message: error.message });
    this.publishAgentStatus('error', message);
    this.publishRecord();
    if (!isInChat) this.deps.sink.notice(noticeOfFailure(message, error.detail.code ?? ''));
    this.setStatus('error');
  }
}

function describe(error: HarnessError): string {
  const stderr = error.detail.stderr?.trim().slice(-maxStderr);
  return stderr ? `${error.message}\n${stderr}` : error.message;
}
