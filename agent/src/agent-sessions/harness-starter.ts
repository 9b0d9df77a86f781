import { setTimeout as wait } from 'node:timers/promises';
import type { ConversationSink } from '../conversation/conversation.js';
import { type Harness, HarnessError, type HarnessListener, type HarnessRequest } from '../harness/harness.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import { asHarnessError, type HarnessSlot } from './harness-slot.js';
import { type HostLimits, RestartBudget } from './host-limits.js';
import type { SessionKey, SessionRecord } from './session-record.js';
import type { SessionRecords } from './session-records.js';

interface HarnessStarterDeps {
  readonly records: SessionRecords;
  readonly slot: HarnessSlot;
  readonly listener: HarnessListener;
  readonly limits: HostLimits['restarts'];
  readonly events: Pick<EventStore, 'add'>;
  /** The control plane tells by the number of restarts which prompts it has to ask about. */
  readonly sink: Pick<ConversationSink, 'sessionChanged'>;
  readonly workspace: () => Workspace | null;
  readonly now: () => number;
}

/** The harness came back with an ACP session that nobody asked for. */
export class WrongSession extends HarnessError {
  constructor() {
    super('not_loaded', 'The coding agent came back with another session');
  }
}

/** Starts the harness of a session, again when it breaks, within the limits; strictly with the session it had. */
export class HarnessStarter {
  private readonly budget: RestartBudget;

  constructor(
    private readonly key: SessionKey,
    private readonly deps: HarnessStarterDeps,
  ) {
    this.budget = new RestartBudget(deps.limits, deps.now);
  }

  /** The first start of a harness, or the first in this run of the agent. */
  async start(signal: AbortSignal): Promise<Harness> {
    return this.attempts(signal, this.deps.limits.firstStartTimeoutMs);
  }

  /** Another start after a harness has left, or had to. */
  async restart(signal: AbortSignal): Promise<Harness> {
    await this.beforeRestart(null, signal);
    return this.replace(signal);
  }

  /** The same, when it left because it was told to: that is no crash and uses up nothing. */
  async replace(signal: AbortSignal): Promise<Harness> {
    return this.attempts(signal, this.deps.limits.attemptTimeoutMs);
  }

  private async attempts(signal: AbortSignal, timeoutMs: number): Promise<Harness> {
    for (;;) {
      try {
        return await this.attempt(signal, timeoutMs);
      } catch (failure) {
        signal.throwIfAborted();
        const error = asHarnessError(failure);
        if (error.kind !== 'crashed_at_start' && error.kind !== 'crashed') throw error;
        await this.beforeRestart(error, signal);
      }
    }
  }

  private async beforeRestart(cause: HarnessError | null, signal: AbortSignal): Promise<void> {
    if (!this.budget.take()) throw cause ?? new HarnessError('crashed', 'The coding agent ended too often');
    const { records, events, sink } = this.deps;
    records.countRestart(this.key);
    const record = records.find(this.key);
    if (record) sink.sessionChanged(record);
    events.add({
      workspaceId: this.key.workspaceId,
      level: 'warn',
      type: 'agent_session.restarting',
      message: 'The coding agent is started again',
      detail: { sessionId: this.key.sessionId, reason: cause?.message ?? 'It ended' },
    });
    await wait(this.deps.limits.pauseMs, undefined, { signal });
  }

  private async attempt(signal: AbortSignal, timeoutMs: number): Promise<Harness> {
    const { slot, records, listener } = this.deps;
    await slot.stop();
    const record = records.find(this.key);
    if (!record) throw new HarnessError('not_startable', 'The session is gone');
    const late = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, late]);
    try {
      const request = requestOf(record, await this.workspace(either));
      const harness = await slot.start(request, listener, either);
      if (request.session.mode === 'new' || request.session.acpSessionId === harness.acpSessionId)
        return harness;
      await slot.stop();
      throw new WrongSession();
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) throw new HarnessError('failed', 'The coding agent did not start in time');
      throw error;
    }
  }

  /** A workspace whose container ended is being brought back at that moment, and then the harness may run again. */
  private async workspace(signal: AbortSignal): Promise<Workspace> {
    for (;;) {
      const workspace = this.deps.workspace();
      if (workspace?.status === 'running' || workspace?.status === 'recovering') return workspace;
      if (workspace?.status !== 'creating')
        throw new HarnessError('not_startable', `The workspace is ${workspace?.status ?? 'gone'}`);
      await wait(workspacePollMs, undefined, { signal });
    }
  }
}

const workspacePollMs = 200;

function requestOf(record: SessionRecord, workspace: Workspace): HarnessRequest {
  const { sessionId, agentType, acpSessionId, workDir, settings, mcpServers, projectId } = record;
  if (!agentType) throw new HarnessError('not_startable', 'No kind of coding agent was chosen yet');
  return {
    workspace,
    sessionId,
    agentType,
    workDir,
    settings,
    mcpServers,
    projectId,
    session: acpSessionId === null ? { mode: 'new' } : { mode: 'load', acpSessionId },
  };
}
