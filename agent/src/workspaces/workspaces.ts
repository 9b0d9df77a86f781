import type {
  CreateNodeWorkspace,
  CreateNodeWorkspaceResult,
  NodeWorkspace,
  RemakeNodeWorkspace,
} from '../../../protocol/node-api.js';
import { jwtTimes } from '../control-plane/jwt-times.js';
import { AgentError } from '../errors.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { Remake, WorkspaceStore } from '../store/workspace-store.js';
import type { Terminals } from '../terminals/terminals.js';
import { decideCreate, settingsOf } from './decide-create.js';
import type { Provisioner } from './provisioner.js';
import { Recoveries } from './recoveries.js';
import type { WorkspaceRuntime } from './runtime.js';
import type { Workspace } from './workspace.js';

export interface WorkspacesParts {
  readonly store: WorkspaceStore;
  readonly runtime: WorkspaceRuntime;
  readonly provisioner: Provisioner;
  readonly terminals: Terminals;
  readonly agents: WorkspaceAgents;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
}

/** The coding agents of a workspace. */
export interface WorkspaceAgents {
  /** Ends their sessions for good. */
  closeWorkspace(workspaceId: string): Promise<void>;
  /** Removes all records of them. */
  removeWorkspace(workspaceId: string): Promise<void>;
}

/** The workspaces of this node: what the control plane asks of them, one request a workspace at a time. */
export class Workspaces {
  private readonly lock = new KeyLock();
  private readonly recoveries = new Recoveries(Date.now);
  /** Being deleted: what is begun in one now would outlive it. */
  private readonly leaving = new Set<string>();

  constructor(private readonly parts: WorkspacesParts) {}

  list(): NodeWorkspace[] {
    return this.parts.store.list().map((workspace) => this.summary(workspace));
  }

  find(workspaceId: string): Workspace | null {
    return this.parts.store.find(workspaceId);
  }

  /** @throws AgentError not_found, or invalid_transition when it does not run */
  running(workspaceId: string): Workspace {
    const workspace = this.parts.store.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'This node has no such workspace');
    if (this.leaving.has(workspaceId))
      throw new AgentError('invalid_transition', 'The workspace is being deleted');
    if (workspace.status === 'running' || workspace.status === 'recovering') return workspace;
    throw new AgentError('invalid_transition', `The workspace is ${workspace.status}`);
  }

  /** Number of workspaces that run. */
  activeCount(): number {
    return this.runningIds().length;
  }

  runningIds(): string[] {
    const running = this.parts.store
      .list()
      .filter(({ status }) => status === 'running' || status === 'recovering');
    return running.map(({ workspaceId }) => workspaceId);
  }

  /** Begins to make the workspace, or says what became of an earlier such request. */
  create(request: CreateNodeWorkspace): Promise<CreateNodeWorkspaceResult> {
    return this.lock.run(request.workspaceId, async () => {
      const { store, provisioner } = this.parts;
      const { workspaceId, generation, callbackToken } = request;
      const existing = store.find(workspaceId);
      const decision = decideCreate(request, existing, store.deletedGeneration(workspaceId));
      if (decision === 'begin') {
        await this.endUse(workspaceId);
        store.begin({ workspaceId, generation, callbackToken, settings: settingsOf(request) });
        this.tell(workspaceId, 'provisioning', 'The workspace is being made');
        provisioner.begin(this.get(workspaceId));
      } else {
        this.keepToken(workspaceId, callbackToken);
      }
      return { workspaceId, status: this.get(workspaceId).status };
    });
  }

  /** Takes over a callback token that outlives the one that is there. */
  keepToken(workspaceId: string, callbackToken: string): void {
    const workspace = this.parts.store.find(workspaceId);
    if (workspace && outlives(callbackToken, workspace.callbackToken))
      this.parts.store.renewToken(workspace, callbackToken);
  }

  /** Starts what is stopped or failed again, with the files it has. */
  restart(workspaceId: string, request: RemakeNodeWorkspace): Promise<void> {
    return this.remake(workspaceId, request, { making: 'restart', from: ['stopped', 'errored'] });
  }

  /** Makes what runs or failed anew around the files it has. */
  rebuild(workspaceId: string, request: RemakeNodeWorkspace): Promise<void> {
    return this.remake(workspaceId, request, {
      making: 'rebuild',
      from: ['running', 'recovering', 'errored'],
    });
  }

  /** From now on, brings workspaces back that end without being asked to. */
  watch(): void {
    const { runtime, store, log } = this.parts;
    const look = (workspaceId: string) => {
      this.recover(workspaceId).catch((error: unknown) =>
        // An engine that is away cannot say; when it is back, all are looked at.
        log.warn('Whether a workspace runs is not known', { workspaceId, error }),
      );
    };
    runtime.watch({
      ended: look,
      anyMayHaveEnded: () => {
        for (const { workspaceId } of store.list()) look(workspaceId);
      },
    });
  }

  /** Starts a workspace again that should run and does not; one that ends again and again is given up. */
  recover(workspaceId: string): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime, terminals, provisioner } = this.parts;
      const workspace = store.find(workspaceId);
      if (workspace?.status !== 'running' && workspace?.status !== 'recovering') return;
      if (await runtime.runs(workspace)) return;
      const { generation, callbackToken } = workspace;
      this.tell(workspaceId, 'lost', 'The workspace ended without being asked to');
      // It may still be telling that the workspace runs.
      await provisioner.abort(workspaceId);
      await terminals.closeWorkspace(workspaceId);
      const from = ['running', 'recovering'] as const;
      if (!this.recoveries.admit(workspaceId)) {
        const errorMessage = 'The workspace ended again and again';
        store.move(workspace, { from, to: 'errored', errorMessage, pendingCallback: 'failed' });
      } else if (store.remake(workspace, { from, making: 'restart', generation, callbackToken })) {
        provisioner.begin(this.get(workspaceId));
      }
    });
  }

  /** Ends what runs in the workspace, its making included. */
  stop(workspaceId: string): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime } = this.parts;
      const workspace = store.find(workspaceId);
      if (!workspace) throw new AgentError('not_found', 'This node has no such workspace');
      if (workspace.status === 'evicted')
        throw new AgentError('invalid_transition', 'The workspace is evicted; nothing of it runs');
      store.move(workspace, { from: ['creating', 'running', 'recovering', 'errored'], to: 'stopped' });
      await this.endUse(workspaceId);
      await runtime.stop(workspaceId);
      this.tell(workspaceId, 'stopped', 'The workspace was stopped');
    });
  }

  /** Removes all of the workspace; afterwards nothing of it is on this node, whether there ever was or not. */
  delete(workspaceId: string): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, runtime, agents } = this.parts;
      store.beginDeletion(workspaceId);
      this.leaving.add(workspaceId);
      try {
        await this.endUse(workspaceId);
        await runtime.remove(workspaceId);
        await agents.removeWorkspace(workspaceId);
        store.finishDeletion(workspaceId);
      } finally {
        this.leaving.delete(workspaceId);
      }
      this.recoveries.forget(workspaceId);
      this.tell(workspaceId, 'deleted', 'The workspace was deleted');
    });
  }

  private remake(
    workspaceId: string,
    request: RemakeNodeWorkspace,
    move: Pick<Remake, 'making' | 'from'>,
  ): Promise<void> {
    return this.lock.run(workspaceId, async () => {
      const { store, provisioner } = this.parts;
      const workspace = this.get(workspaceId);
      const { generation = workspace.generation, callbackToken = workspace.callbackToken } = request;
      if (generation < workspace.generation)
        throw new AgentError('stale_generation', `Generation ${workspace.generation} has begun already`);
      // The answer to the first of two equal requests may have been lost.
      if (request.generation === workspace.generation && isUnderWay(workspace)) return;
      if (!store.remake(workspace, { ...move, generation, callbackToken }))
        throw new AgentError('invalid_transition', `The workspace is ${this.get(workspaceId).status}`);
      await this.endUse(workspaceId);
      const verb = move.making === 'restart' ? 'restarting' : 'rebuilding';
      this.tell(workspaceId, verb, `The workspace is ${verb}`);
      provisioner.begin(this.get(workspaceId));
    });
  }

  private async endUse(workspaceId: string): Promise<void> {
    const { provisioner, terminals, agents } = this.parts;
    await provisioner.abort(workspaceId);
    await agents.closeWorkspace(workspaceId);
    await terminals.closeWorkspace(workspaceId);
  }

  private tell(workspaceId: string, what: string, message: string): void {
    this.parts.log.info(message, { workspaceId });
    this.parts.events.add({ workspaceId, level: 'info', type: `workspace.${what}`, message });
  }

  private get(workspaceId: string): Workspace {
    const workspace = this.parts.store.find(workspaceId);
    if (!workspace) throw new AgentError('not_found', 'This node has no such workspace');
    return workspace;
  }

  private summary(workspace: Workspace): NodeWorkspace {
    const { workspaceId, generation, status, settings, createdAt, updatedAt, errorMessage } = workspace;
    return {
      workspaceId,
      generation,
      status,
      repository: settings.repository,
      branch: settings.branch,
      createdAt,
      updatedAt,
      sessions: this.parts.terminals.count(workspaceId),
      errorMessage,
    };
  }
}

function isUnderWay({ status }: Workspace): boolean {
  return status === 'creating' || status === 'running' || status === 'recovering';
}

/** A repeated request may carry an older token than the one that was renewed meanwhile. */
function outlives(token: string, other: string): boolean {
  return (jwtTimes(token)?.expiresAt ?? 0) > (jwtTimes(other)?.expiresAt ?? 0);
}
