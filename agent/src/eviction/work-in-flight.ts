import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';

interface WorkDeps {
  readonly records: Pick<SessionRecords, 'list' | 'hasInterruptedPrompt'>;
  readonly hosts: Pick<SessionHosts, 'find'>;
}

/** A receipt may be written a moment before the engine says when the container died. */
const clockSlackMs = 5_000;

/** Whether coding agents of a workspace have work that has not ended. */
export class WorkInFlight {
  constructor(private readonly deps: WorkDeps) {}

  /** A turn or background work of a harness runs, or a prompt is queued behind a turn. */
  isNow(workspaceId: string): boolean {
    return this.deps.records.list(workspaceId).some((session) => {
      const host = this.deps.hosts.find(session)?.host;
      return host !== undefined && (host.turn !== null || host.backgroundWork > 0);
    });
  }

  /** Also when the death of the container has ended the turn already. */
  wasAt(workspaceId: string, death: Date): boolean {
    const since = death.getTime() - clockSlackMs;
    return this.isNow(workspaceId) || this.deps.records.hasInterruptedPrompt(workspaceId, since);
  }
}
