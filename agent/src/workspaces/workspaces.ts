import type {
  CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  NodeWorkspace,
  RestartOrRebuildRequest,
} from '../../../protocol/node-api.js';
import { jwtTimes } from '../control-plane/jwt-times.js';
import { AgentError } from '../errors.js';
import { KeyLock } from '../shared/key-lock.js';
import type { RestartOrRebuild } from '../store/workspace-changes.js';
import {
  checkAdoption,
  decideCreate,
  evictionChange,
  isRepeatedRestart,
  settingsOf,
} from './decide-request.js';
import { RecoveryLimit } from './recovery-limit.js';
import { isRunning, nodeWorkspace, type Workspace } from './workspace.js';
import type { WorkspacesDeps } from './workspaces-deps.js';

/**
 * The workspaces of this node: executes the requests of the control plane, one at a time per
 * workspace. The state table is in docs/agent.md#workspaces.
 */
export class Workspaces {
  private readonly lock = new KeyLock();
  private readonly recoveries = new RecoveryLimit(Date.now);
  /** Workspaces being deleted: nothing may be started in them. */
  private readonly deleting = new Set<string>();

  constructor(private readonly deps: WorkspacesDeps) {}

  list(): NodeWorkspace[] {
    return this.deps.store
      .list()
      .map((workspace) => nodeWorkspace(workspace, this.deps.terminals.count(workspace.workspaceId)));
  }

  find(workspaceId: string): Workspace | null {
    return this.deps.store.find(workspaceId);
  }

  /** @throws AgentError not_found, or invalid_transition when the workspace does not run */
  running(workspaceId: string): Workspace {
    const workspace = this.get(workspaceId);
    if (this.deleting.has(workspaceId))
      throw new AgentError('invalid_transition', 'The workspace is being deleted');
    if (isRunning(workspace)) return workspace;
    throw new AgentError('invalid_transition', `The workspace is ${workspace.status}. It must be running`);
  }

  runningIds(): string[] {
    const running = this.deps.store.list().filter(isRunning);
    return running.map(({ workspaceId }) => workspaceId);
  }

  /** Starts to provision the workspace, or returns the status of an earlier equal request. */
  create(request: CreateNodeWorkspace): Promise<CreateNodeWorkspaceResult> {
    return this.lock.run(request.workspaceId, async () => {
      const { store, provisioner } = this.deps;
      const { workspaceId, generation, callbackToken, evictionGeneration } = request;
      const existing = store.find(workspaceId);
      const decision = decideCreate(request, existing, store.deletedGeneration(workspaceId));
      if (decision === 'begin') {
        await this.endActivity(workspaceId, 'stopWorkspace');
        const provisionKind = await this.firstProvisionKind(request);
        const settings = settingsOf(request);
        store.begin({ workspaceId, generation, callbackToken, settings, provisionKind, evictionGeneration });
        this.deps.quarantine.release(workspaceId);
        this.recordEvent(workspaceId, 'provisioning', 'Workspace provisioning started');
        provisioner.begin(this.get(workspaceId));
      } else {
        this.keepToken(workspaceId, callbackToken);
      }
      return { workspaceId, status: this.get(workspaceId).status };
    });
  }

  /** A quarantined workspace is started from its files, if it has any. */
  private async firstProvisionKind(request: CreateNodeWorkspace): Promise<'create' | 'restart'> {
    const { quarantine, runtime } = this.deps;
    const { workspaceId, generation } = request;
    if (!quarantine.has(workspaceId)) return 'create';
    checkAdoption(generation, await runtime.foundGeneration(workspaceId));
    if (!(await runtime.hasFiles({ workspaceId, settings: settingsOf(request) }))) return 'create';
    this.recordEvent(workspaceId, 'adopted', 'The files of the quarantined workspace are used');
    return 'restart';
  }

  /** Stores a callback token that expires later than the current one. */
  keepToken(workspaceId: string, callbackToken: string): void {
    // A repeated request may carry an older token than the renewed one.
    const expiresAt = (token: string) => jwtTimes(token)?.expiresAt ?? 0;
    const workspace = this.deps.store.find(workspaceId);
    if (workspace && expiresAt(callbackToken) > expiresAt(workspace.callbackToken))
      this.deps.store.renewToken(workspace, callbackToken);
  }

  /** Starts a stopped, failed or evicted workspace from its existing files. */
  restart(workspaceId: string, request: RestartOrRebuildRequest): Promise<void> {
    return this.restartOrRebuild(workspaceId, request, {
      provisionKind: 'restart',
      from: ['stopped', 'errored', 'evicted'],
    });
  }

  /** Creates a new container around the existing files. */
  rebuild(workspaceId: string, request: RestartOrRebuildRequest): Promise<void> {
    return this.restartOrRebuild(workspaceId, request, {
      provisionKind: 'rebuild',
      from: ['running', 'recovering', 'errored'],
    });
  }

  /** Runs work on a workspace while no request changes it. */
  exclusively<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    return this.lock.run(workspaceId, work);
  }

  /** Starts to watch for workspaces that end without a request. */
  watch(): void {
    const { runtime, store, log } = this.deps;
    // The engine is unavailable then. All workspaces are checked when it is back.
    const check = (workspaceId: string) =>
      void this.recover(workspaceId).catch((error: unknown) =>
        log.warn('Workspace state could not be checked', { workspaceId, error }),
      );
    runtime.watch({
      ended: check,
      serviceEnded: (workspaceId, message) => this.reportService(workspaceId, message),
      anyMayHaveEnded: () => {
        for (const { workspaceId } of store.list()) check(workspaceId);
      },
    });
  }

  private reportService(workspaceId: string, message: string): void {
    // A stop, restart or deletion changes the status before it ends services.
    if (this.runningIds().includes(workspaceId)) this.recordEvent(workspaceId, 'service_ended', message);
  }

  /**
   * Restarts a workspace that ended without a request; marks it errored after 5 restarts in 10
   * minutes. One that ran out of memory is captured and evicted instead.
   */
  recover(workspaceId: string): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime, terminals, provisioner, evictions } = this.deps;
      const workspace = store.find(workspaceId);
      if (!workspace || !isRunning(workspace) || (await runtime.runs(workspace))) return;
      if (await evictions?.salvage(workspace)) return;
      this.recordEvent(workspaceId, 'lost', 'The workspace ended unexpectedly');
      // Its `ready` callback may still be pending.
      await provisioner.abort(workspaceId);
      await terminals.closeWorkspace(workspaceId);
      this.restartEnded(workspace);
    });
  }

  private restartEnded(workspace: Workspace): void {
    const { store, provisioner } = this.deps;
    const { workspaceId, generation, callbackToken } = workspace;
    const from = ['running', 'recovering'] as const;
    if (!this.recoveries.admit(workspaceId)) {
      const errorMessage = 'The workspace ended unexpectedly more than 5 times in 10 minutes';
      store.move(workspace, { from, to: 'errored', errorMessage, pendingCallback: 'failed' });
      return;
    }
    const restart = { from, provisionKind: 'restart', generation, callbackToken } as const;
    if (store.restartOrRebuild(workspace, restart)) provisioner.begin(this.get(workspaceId));
  }

  /**
   * Ends what runs in the workspace, also its provisioning.
   * @param prepare may refuse the stop; disposed after it
   */
  stop(workspaceId: string, prepare?: (workspace: Workspace) => Promise<Disposable>): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime } = this.deps;
      const workspace = this.get(workspaceId);
      using _ = await prepare?.(workspace);
      if (workspace.isEvicted)
        throw new AgentError('invalid_transition', 'The workspace is evicted and does not run');
      store.move(workspace, { from: ['creating', 'running', 'recovering', 'errored'], to: 'stopped' });
      await this.endActivity(workspaceId, 'suspendWorkspace');
      await runtime.stop(workspaceId);
      this.recordEvent(workspaceId, 'stopped', 'Workspace stopped');
    });
  }

  /**
   * Removes everything of the workspace from this node, also in quarantine; a repeated call has no
   * effect.
   */
  delete(workspaceId: string, isWanted = () => true): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime, agents, quarantine } = this.deps;
      if (!isWanted()) return;
      store.beginDeletion(workspaceId);
      this.deleting.add(workspaceId);
      try {
        await this.endActivity(workspaceId, 'stopWorkspace');
        await runtime.remove(workspaceId);
        await agents.removeWorkspace(workspaceId);
        quarantine.release(workspaceId);
        store.finishDeletion(workspaceId);
      } finally {
        this.deleting.delete(workspaceId);
      }
      this.recoveries.forget(workspaceId);
      this.recordEvent(workspaceId, 'deleted', 'Workspace deleted');
    });
  }

  private restartOrRebuild(
    workspaceId: string,
    request: RestartOrRebuildRequest,
    move: Pick<RestartOrRebuild, 'provisionKind' | 'from'>,
  ): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, provisioner } = this.deps;
      const workspace = this.get(workspaceId);
      if (isRepeatedRestart(request, workspace)) return;
      const { generation = workspace.generation, callbackToken = workspace.callbackToken } = request;
      const eviction = evictionChange(request, workspace);
      if (!store.restartOrRebuild(workspace, { ...move, generation, callbackToken, eviction }))
        throw new AgentError(
          'invalid_transition',
          `The workspace is ${this.get(workspaceId).status}. To ${move.provisionKind} it, it must be ${move.from.join(' or ')}`,
        );
      await this.endActivity(workspaceId, 'suspendWorkspace');
      const verb = move.provisionKind === 'restart' ? 'restarting' : 'rebuilding';
      this.recordEvent(workspaceId, verb, `The workspace is ${verb}`);
      provisioner.begin(this.get(workspaceId));
    });
  }

  private async endActivity(
    workspaceId: string,
    endAgents: 'stopWorkspace' | 'suspendWorkspace',
  ): Promise<void> {
    const { provisioner, terminals, agents } = this.deps;
    await provisioner.abort(workspaceId);
    await agents[endAgents](workspaceId);
    await terminals.closeWorkspace(workspaceId);
  }

  private recordEvent(workspaceId: string, what: string, message: string): void {
    this.deps.log.info(message, { workspaceId });
    this.deps.events.add({ workspaceId, level: 'info', type: `workspace.${what}`, message });
  }

  private get(workspaceId: string): Workspace {
    const workspace = this.deps.store.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'Workspace not found on this node');
    return workspace;
  }
}
