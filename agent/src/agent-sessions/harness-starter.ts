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
  /** Reports the restart count: the control plane then asks about the receipts it awaits. */
  readonly sink: Pick<ConversationSink, 'sessionChanged'>;
  /** Returns true when the next attempt opens a new ACP session. */
  readonly offerNewSession: (failure: HarnessError) => boolean;
  /** Ends what the harness before still asks people. */
  readonly beforeStart: () => void;
  readonly workspace: () => Workspace | null;
  readonly now: () => number;
}

/** Counts the waits of one start. */
interface Outage {
  waits: number;
}

/** The harness loaded another ACP session than the requested one. */
export class WrongSession extends HarnessError {
  constructor() {
    super('not_loaded', 'The coding agent loaded another ACP session than the requested one');
  }
}

/** Starts and restarts the harness of a session. A restart must load the same ACP session. */
export class HarnessStarter {
  private readonly budget: RestartBudget;

  constructor(
    private readonly key: SessionKey,
    private readonly deps: HarnessStarterDeps,
  ) {
    this.budget = new RestartBudget(deps.limits, deps.now);
  }

  /** The first start in this run of the agent. It must load the ACP session, if there is one. */
  async startStrictly(signal: AbortSignal): Promise<Harness> {
    return this.attempts(signal, this.deps.limits.firstStartTimeoutMs);
  }

  /** As `startStrictly`. Opens a new ACP session when the earlier one cannot be loaded. */
  async start(signal: AbortSignal): Promise<Harness> {
    return this.startStrictly(signal).catch((failure: unknown) => {
      signal.throwIfAborted();
      if (!this.deps.offerNewSession(asHarnessError(failure))) throw failure;
      return this.startStrictly(signal);
    });
  }

  /** A start after a crash. It uses one restart of the budget. */
  async restart(signal: AbortSignal): Promise<Harness> {
    await this.beforeRestart(null, signal);
    return this.replace(signal);
  }

  /** A start after an intended stop. It uses no restart of the budget. */
  async replace(signal: AbortSignal): Promise<Harness> {
    return this.attempts(signal, this.deps.limits.attemptTimeoutMs);
  }

  private async attempts(signal: AbortSignal, timeoutMs: number): Promise<Harness> {
    const outage = { waits: 0 };
    for (;;) {
      try {
        return await this.attempt(signal, timeoutMs);
      } catch (failure) {
        signal.throwIfAborted();
        await this.beforeNextAttempt(asHarnessError(failure), outage, signal);
      }
    }
  }

  /** @throws HarnessError the given one, when no other attempt may follow */
  private beforeNextAttempt(error: HarnessError, outage: Outage, signal: AbortSignal): Promise<void> {
    if (error.kind === 'unavailable') return this.waitForControlPlane(error, outage, signal);
    if (error.kind === 'crashed_at_start' || error.kind === 'crashed')
      return this.beforeRestart(error, signal);
    throw error;
  }

  /** An outage of the control plane uses no restart of the budget, and ends no session. */
  private async waitForControlPlane(
    { message: reason }: HarnessError,
    outage: Outage,
    signal: AbortSignal,
  ): Promise<void> {
    const { events, limits } = this.deps;
    const { workspaceId, sessionId } = this.key;
    if (outage.waits === 0)
      events.add({
        workspaceId,
        level: 'warn',
        type: 'agent_session.waiting',
        message: 'The control plane does not answer. The coding agent starts when it answers',
        detail: { sessionId, reason },
      });
    await wait(Math.min(limits.pauseMs * 2 ** outage.waits, longestWaitMs), undefined, { signal });
    outage.waits += 1;
  }

  private async beforeRestart(cause: HarnessError | null, signal: AbortSignal): Promise<void> {
    if (!this.budget.take())
      throw (
        cause ??
        new HarnessError(
          'crashed',
          'The coding agent exited too often. Check its error output, then resume the session.',
        )
      );
    const { records, events, sink } = this.deps;
    records.countRestart(this.key);
    const record = records.find(this.key);
    if (record) sink.sessionChanged(record);
    events.add({
      workspaceId: this.key.workspaceId,
      level: 'warn',
      type: 'agent_session.restarting',
      message: 'Restarting the coding agent',
      detail: { sessionId: this.key.sessionId, reason: cause?.message ?? 'The coding agent exited' },
    });
    await wait(this.deps.limits.pauseMs, undefined, { signal });
  }

  private async attempt(signal: AbortSignal, timeoutMs: number): Promise<Harness> {
    const { slot, records, listener } = this.deps;
    await slot.stop();
    this.deps.beforeStart();
    const record = records.find(this.key);
    if (!record) throw new HarnessError('not_startable', 'Session not found');
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
      if (late.aborted)
        throw new HarnessError(
          'failed',
          'The coding agent did not start in time. Resume the session to retry.',
        );
      throw error;
    }
  }

  /** Waits for a workspace whose container is being restarted. */
  private async workspace(signal: AbortSignal): Promise<Workspace> {
    for (;;) {
      const workspace = this.deps.workspace();
      if (workspace?.status === 'running' || workspace?.status === 'recovering') return workspace;
      if (workspace?.status !== 'creating')
        throw new HarnessError(
          'not_startable',
          `Workspace is ${workspace?.status ?? 'deleted'} and cannot start a coding agent`,
        );
      await wait(workspacePollMs, undefined, { signal });
    }
  }
}

const workspacePollMs = 200;
const longestWaitMs = 30_000;

function requestOf(record: SessionRecord, workspace: Workspace): HarnessRequest {
  const { sessionId, agentType, acpSessionId, workDir, settings, mcpServers } = record;
  const { projectId, chatSessionId, taskId, taskMode, interactions } = record;
  const mayShow = interactions?.enabled === true && taskMode !== 'task';
  if (!agentType)
    throw new HarnessError('not_startable', 'Session has no agent type. Select an agent first.');
  return {
    workspace,
    sessionId,
    agentType,
    workDir,
    settings,
    mcpServers,
    projectId,
    chatSessionId,
    taskId,
    elicitation: {
      form: mayShow && interactions.formsEnabled,
      url: mayShow && interactions.urlsEnabled,
    },
    session: acpSessionId === null ? { mode: 'new' } : { mode: 'load', acpSessionId },
  };
}
