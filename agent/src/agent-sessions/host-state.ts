import type { HostStatus } from '../../../protocol/agent-sessions.js';
import type { ConversationSink } from '../conversation/conversation.js';
import type { HarnessError } from '../harness/harness.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { HarnessSeat } from './harness-slot.js';
import type { Launcher } from './harness-starter.js';
import type { HostLimits } from './host-limits.js';
import type { RolloverEnd } from './rollover-store.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionStore } from './session-store.js';
import type { Turn, TurnEnd } from './turn.js';
import type { TurnRecords } from './turn-records.js';

export interface HostParts {
  readonly key: SessionKey;
  readonly store: SessionStore;
  readonly records: TurnRecords;
  readonly seat: HarnessSeat;
  readonly launcher: Launcher;
  readonly sink: ConversationSink;
  readonly limits: HostLimits;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

/** Why a host ends. With the agent itself, the prompt in flight is left to the next run, which calls it ambiguous. */
export type Ending = 'stopped' | 'suspended' | 'shutdown';

/** What a session's host is doing. All of its parts look here, and nobody else changes it. */
export class HostState {
  status: HostStatus;
  errorMessage: string | null;
  /** The one prompt in flight. */
  turn: Turn | null = null;
  ending: Ending | null = null;
  /** Ends with the host. */
  readonly life = new AbortController();

  constructor(
    readonly parts: HostParts,
    session: SessionRecord,
  ) {
    this.status = session.status === 'error' ? 'error' : 'idle';
    this.errorMessage = session.errorMessage;
  }

  get record(): SessionRecord | null {
    return this.parts.store.find(this.parts.key);
  }

  show(status: HostStatus): void {
    if (this.ending !== null && status !== 'idle' && status !== 'stopped') return;
    this.status = status;
    this.parts.sink.hostStatus(status, this.errorMessage ?? undefined);
  }

  changed(): void {
    const { record } = this;
    if (record) this.parts.sink.sessionChanged(record);
  }

  tell(level: 'info' | 'warn' | 'error', what: string, message: string, detail: object = {}): void {
    const { workspaceId, sessionId } = this.parts.key;
    const type = `agent_session.${what}`;
    this.parts.events.add({ workspaceId, level, type, message, detail: { sessionId, ...detail } });
  }

  /** Ends the turn everywhere: on disk first, then for those who watch and report. The next prompt may come at once. */
  endTurn(turn: Turn, end: TurnEnd, next: HostStatus, rollover?: RolloverEnd): void {
    if (this.turn !== turn) return;
    try {
      this.parts.records.end(turn, end, { sink: this.parts.sink, ...(rollover && { rollover }) });
    } catch (error) {
      // The receipt stays in flight, and is ambiguous for the next run of the agent: never better than it is.
      this.parts.log.error('The end of a prompt was not written', { ...this.parts.key, error });
    }
    this.turn = null;
    this.status = this.ending ? this.status : next;
    const ended = { ...end, promptStartedAt: turn.prompt.promptStartedAt };
    this.parts.sink.promptEnded(ended);
    this.show(this.status);
    turn.finish(ended);
  }

  /** Gives the session up, with the reason. Does nothing to one that is being ended anyway. */
  fail(error: HarnessError, what: 'start_failed' | 'failed'): void {
    if (this.ending) return;
    const { store, key, sink, log } = this.parts;
    const message = describe(error);
    store.move(key, { from: ['running'], to: 'error', errorMessage: message });
    this.errorMessage = message;
    log.error('Agent session failed', { ...key, error });
    this.tell('error', what, error.message);
    const agentType = this.record?.agentType;
    if (agentType) sink.agentStatus('error', agentType, message);
    this.changed();
    this.show('error');
  }
}

const maxStderr = 500;

function describe(error: HarnessError): string {
  const stderr = error.detail.stderr?.trim().slice(-maxStderr);
  return stderr ? `${error.message}\n${stderr}` : error.message;
}
