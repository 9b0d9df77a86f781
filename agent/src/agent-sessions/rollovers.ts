import type { RolloverOperation, SubmitRollover } from '../../../protocol/agent-sessions.js';
import { AgentError } from '../errors.js';
import type { EventStore } from '../store/event-store.js';
import type { RolloverKey } from './rollover-store.js';
import type { SessionHosts } from './session-hosts.js';
import type { SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';
import { checkVersion, requestHash } from './session-requests.js';

export interface RolloverLimits {
  readonly graceMs: number;
  readonly maxGraceMs: number;
  readonly timeoutMs: number;
}

/** Accepts checkpoint rollovers. The host of the session runs them. */
export class Rollovers {
  constructor(
    private readonly limits: RolloverLimits,
    private readonly deps: {
      readonly records: SessionRecords;
      readonly hosts: SessionHosts;
      readonly events: Pick<EventStore, 'add'>;
    },
  ) {}

  /** A repeat returns the operation as it is now. @throws AgentError when the request is invalid */
  submit(session: SessionRecord, body: SubmitRollover): { status: 200 | 202; operation: RolloverOperation } {
    const { protocolVersion, operationId } = body;
    checkVersion(protocolVersion);
    const graceMs = this.graceOf(body);
    const { workspaceId, sessionId, acpSessionId } = session;
    const key = { workspaceId, sessionId, operationId };
    const hash = requestHash([protocolVersion, operationId, graceMs]);
    const known = this.deps.records.findRollover(key);
    if (known && known.requestHash !== hash) {
      const message = 'Operation id is in use by a different request. Use a new operationId.';
      throw new AgentError('operation_id_conflict', message, { extra: { operationId } });
    }
    if (known) return { status: 200, operation: known.operation };
    this.deps.records.submitRollover({ ...key, protocolVersion, requestHash: hash, acpSessionId });
    this.begin(session, key, graceMs);
    return { status: 202, operation: this.find(key) };
  }

  /** @throws AgentError not_found */
  find(key: RolloverKey): RolloverOperation {
    const known = this.deps.records.findRollover(key);
    if (!known) throw new AgentError('not_found', 'Rollover not found in this session');
    return known.operation;
  }

  private begin(session: SessionRecord, key: RolloverKey, graceMs: number): void {
    const { records, hosts, events } = this.deps;
    const host = hosts.find(session)?.host;
    const errorCode = host ? host.preemptionRefusal() : 'rollover_failed';
    if (!host || errorCode) {
      const errorMessage = 'No prompt is in flight that a rollover could preempt';
      records.endRollover(key, { state: 'failed', errorCode: errorCode ?? 'rollover_failed', errorMessage });
      return;
    }
    records.beginRollover(key);
    const { workspaceId, sessionId, operationId } = key;
    const detail = { sessionId, operationId };
    const type = 'agent_session.rollover';
    events.add({ workspaceId, level: 'info', type, message: 'Checkpoint rollover started', detail });
    const deadline = AbortSignal.timeout(this.limits.timeoutMs);
    host.preempt({ key, graceMs, deadline, isForced: false, isClosing: false });
  }

  private graceOf({ graceMs = this.limits.graceMs }: SubmitRollover): number {
    if (graceMs <= this.limits.maxGraceMs) return graceMs;
    const message = `graceMs exceeds the limit of ${this.limits.maxGraceMs} ms`;
    throw new AgentError('invalid_request', message, { extra: { details: [{ field: 'graceMs', message }] } });
  }
}
