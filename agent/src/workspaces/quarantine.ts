import { SingleFlight } from '../shared/single-flight.js';
import type { Workspaces } from './workspaces.js';
import type { WorkspacesDeps } from './workspaces-deps.js';

const checkIntervalMs = 3_600_000;

/**
 * Keeps remains of workspaces that have no record, for example after the loss of the state
 * database. The states are in docs/agent.md#quarantine.
 */
export class Quarantine implements AsyncDisposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly removing = new SingleFlight();

  constructor(
    private readonly periodMs: number,
    private readonly workspaces: Pick<Workspaces, 'delete'>,
    private readonly deps: WorkspacesDeps,
  ) {}

  /** Quarantines every found workspace without a record. */
  async begin(): Promise<void> {
    const { store, runtime } = this.deps;
    for (const workspaceId of await runtime.found())
      if (store.find(workspaceId) === null) await this.attempt(workspaceId, () => this.keep(workspaceId));
    await this.removeExpired();
    this.timer = setInterval(
      () => void this.removing.run(() => this.removeExpired()),
      Math.min(this.periodMs, checkIntervalMs),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    await this.removing.current;
  }

  private async keep(workspaceId: string): Promise<void> {
    const { store, quarantine, runtime, log, events } = this.deps;
    // The control plane has deleted it already.
    if (store.isDeleted(workspaceId)) return this.workspaces.delete(workspaceId);
    const hours = Math.round(this.periodMs / 3_600_000);
    const message = `The node has no record of this workspace. It is stopped and its files are kept for ${hours} h, until the control plane creates or deletes it`;
    log.warn(message, { workspaceId });
    // Stored before the stop, so that a create request cannot overwrite the files.
    if (quarantine.add(workspaceId))
      events.add({ workspaceId, level: 'warn', type: 'workspace.quarantined', message });
    await runtime.stop(workspaceId);
  }

  private async removeExpired(): Promise<void> {
    const { quarantine, store, log } = this.deps;
    for (const workspaceId of quarantine.olderThan(this.periodMs))
      await this.attempt(workspaceId, () => {
        log.warn('The quarantine of the workspace has ended. It is removed', { workspaceId });
        // Checked again with the lock of the workspace: a create request may have adopted it.
        return this.workspaces.delete(workspaceId, () => store.find(workspaceId) === null);
      });
  }

  /** A workspace that fails is tried again at the next start or check. */
  private async attempt(workspaceId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.log.error('Quarantined workspace could not be handled', { workspaceId, error });
    }
  }
}
