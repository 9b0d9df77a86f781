import type { RestoreResult, SnapshotProgress } from '../../../protocol/snapshot-callbacks.js';
import type { MissingPart, RestoreAgentSession, SnapshotOperation } from '../../../protocol/snapshots.js';
import type { SessionKey, SessionRecord } from '../agent-sessions/session-record.js';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import { isStale, ProgressReports } from './progress-reports.js';
import { reasonOf } from './restore-repositories.js';
import type { Continuation, RestoredSessions } from './restored-sessions.js';
import type { SnapshotCallbacks, SnapshotCaller } from './snapshot-callbacks.js';
import type { SnapshotOperations } from './snapshot-operations.js';
import type { SnapshotStore } from './snapshot-store.js';
import type { SnapshotWorkspaces } from './snapshot-workspaces.js';
import type { AvailablePlan, RestoredFiles, WorkspaceRestore } from './workspace-restore.js';

export interface RestoresDeps {
  readonly operations: SnapshotOperations;
  readonly callbacks: SnapshotCallbacks;
  readonly restore: WorkspaceRestore;
  readonly sessions: RestoredSessions;
  readonly store: SnapshotStore;
  readonly workspaces: SnapshotWorkspaces;
  readonly events: Pick<EventStore, 'add'>;
  readonly progressIntervalMs: number;
  readonly log: Log;
}

interface RestoreTarget extends SessionKey {
  readonly request: RestoreAgentSession;
}

interface Restoration {
  readonly target: RestoreTarget;
  readonly sessions: readonly SessionRecord[];
  readonly caller: SnapshotCaller;
  readonly onStep: (step: SnapshotProgress['step']) => void;
}

/** The limit of named parts. */
const mostNamed = 64;

/** Restores workspaces in the background: their files, then the conversations of their sessions. */
export class Restores {
  constructor(private readonly deps: RestoresDeps) {}

  /** Begins a restore, or continues the one of a repeated request. @throws AgentError */
  begin(key: SessionKey, request: RestoreAgentSession): SnapshotOperation {
    const { operations, workspaces, log } = this.deps;
    const { operationId } = request;
    const session = workspaces.session(key, request);
    if (session.status === 'stopped')
      throw new AgentError('invalid_transition', 'Session is stopped. Create another session.');
    const { workspaceId, sessionId } = key;
    const work = (signal: AbortSignal) => this.run({ workspaceId, sessionId, request }, signal);
    const accepted = operations.begin({ kind: 'restore', key: { workspaceId, sessionId }, request, work });
    log.info('Restore of the workspace requested', { workspaceId, operationId, accepted });
    return { operationId, accepted };
  }

  private async run(target: RestoreTarget, signal: AbortSignal): Promise<void> {
    const { callbacks, store, workspaces } = this.deps;
    const { workspaceId, request } = target;
    const caller = { workspace: () => workspaces.current(workspaceId), signal };
    const known = store.result(workspaceId, request.operationId);
    if (known) return callbacks.restoreResult(caller, known);
    const result = await this.resultOf(target, caller);
    store.restored(workspaceId, result);
    const detail = { sessionId: target.sessionId };
    const message = `Snapshot restored (${result.status})`;
    this.deps.events.add({ workspaceId, level: 'info', type: 'agent_session.restored', message, detail });
    await callbacks.restoreResult(caller, result);
  }

  private async resultOf(target: RestoreTarget, caller: SnapshotCaller): Promise<RestoreResult> {
    const { callbacks, operations, sessions, progressIntervalMs: intervalMs } = this.deps;
    const { workspaceId, request } = target;
    const { chatSessionId, operationId } = request;
    const onSuperseded = () => void operations.end(workspaceId, operationId);
    const operation = { chatSessionId, operationId };
    using reports = new ProgressReports(
      { callbacks, caller, operation, intervalMs, onSuperseded },
      'home-restore',
    );
    const plan = await callbacks.restorePlan(caller, chatSessionId);
    const onStep = (step: SnapshotProgress['step']) => {
      reports.step = step;
    };
    const restoration = { target, sessions: await sessions.fence(workspaceId), caller, onStep };
    if (!plan.available)
      return this.without(restoration, 'missing', 'The snapshot is missing or unavailable.');
    try {
      return await this.restored(restoration, plan);
    } catch (error) {
      caller.signal.throwIfAborted();
      if (isStale(error)) throw error;
      return this.without(restoration, 'home_failed', reasonOf(error));
    }
  }

  private async restored(restoration: Restoration, plan: AvailablePlan): Promise<RestoreResult> {
    const { target, caller, onStep } = restoration;
    const workspace = caller.workspace();
    const { signal } = caller;
    const files = await this.deps.restore.run({ workspace, plan, onStep, signal });
    onStep('agent-load');
    const { missing } = files;
    const hasHome = !missing.some(({ part }) => part === 'home');
    const ended = await this.continueSessions(restoration, {
      manifest: plan.manifest,
      hasHome,
      leaderId: target.sessionId,
    });
    const lost = ended.lost.map((reason): MissingPart => ({ part: 'agent', path: null, reason }));
    return {
      ...namesOf(target),
      status: statusOf(files, lost),
      message: null,
      missing: [...missing, ...lost].slice(0, mostNamed),
      sessions: ended.sessions,
    };
  }

  private async continueSessions(
    { sessions, target }: Restoration,
    continuation: Omit<Continuation, 'mcpServers' | 'interactions'>,
  ): Promise<{ readonly sessions: RestoreResult['sessions']; readonly lost: readonly string[] }> {
    const { mcpServers = {}, acpInteractions: interactions = {} } = target.request;
    const results: RestoreResult['sessions'] = [];
    const lost: string[] = [];
    for (const session of sessions) {
      const continued = await this.deps.sessions.continue(session, {
        ...continuation,
        mcpServers,
        interactions,
      });
      results.push(continued.session);
      if (continued.lost !== null) lost.push(continued.lost);
    }
    return { sessions: results, lost };
  }

  /** The sessions continue without their conversations. */
  private async without(
    restoration: Restoration,
    status: RestoreResult['status'],
    message: string,
  ): Promise<RestoreResult> {
    const { target } = restoration;
    const leaderId = target.sessionId;
    const { sessions } = await this.continueSessions(restoration, {
      manifest: null,
      hasHome: false,
      leaderId,
    });
    return { ...namesOf(target), status, message, missing: [], sessions };
  }
}

const namesOf = ({ request: { chatSessionId, operationId } }: RestoreTarget) => ({
  chatSessionId,
  operationId,
});

function statusOf({ missing, unread }: RestoredFiles, lost: readonly MissingPart[]): RestoreResult['status'] {
  if (unread.includes('home')) return 'home_failed';
  if (unread.includes('wip')) return 'wip_failed';
  return missing.length + lost.length > 0 ? 'degraded' : 'restored';
}
