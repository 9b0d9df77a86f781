import { Node, nodeKey } from '../../../lambdas/domain/nodes/node.js';
import { recordHeartbeat } from '../../../lambdas/domain/nodes/node-reports.js';
import { markNodeRemoved } from '../../../lambdas/domain/nodes/removal.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import {
  clearPendingReconcile,
  listPendingReconciles,
} from '../../../lambdas/domain/records/pending-reconcile.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepNode } from '../../../lambdas/sweeps/sweep-node.js';
import { sweepWorkspace } from '../../../lambdas/sweeps/sweep-workspace.js';
import { allSagas } from '../sagas.js';
import { testObjects } from '../uploads.js';
import { type Plan, passMinutes, staysOf } from './plans.js';
import { PlayedWorkspace } from './played-workspace.js';

const minute = 60_000;
const begin = Date.parse('2026-11-23T06:00:00.000Z');
const at = (minutes: number) => new Date(begin + minutes * minute);
const minuteOf = (time: string) => (Date.parse(time) - begin) / minute;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface LivingNode {
  readonly launchedAt: number;
  row?: Node;
}

/** A control plane whose sagas are played between two sweeps, each in no time. */
export class SimulatedDay {
  private started: string[] = [];
  private readonly nodes = new Map<string, LivingNode>();
  private readonly workspaces: ReadonlyMap<string, PlayedWorkspace>;
  private readonly uses: ReadonlyMap<number, readonly Plan[]>;
  private minutes = 0;
  private endedMinutes = 0;
  /** Of warm nodes that ended early, because they were older than four hours. */
  savedMinutes = 0;
  launches = 0;
  /** The nodes that are neither used nor warm after a pass, with the minute. */
  readonly withoutReason: string[] = [];

  constructor(
    private readonly table: Table,
    plans: readonly Plan[],
  ) {
    const launched = (nodeId: string) => {
      this.launches += 1;
      this.nodes.set(nodeId, { launchedAt: this.minutes });
    };
    this.workspaces = new Map(
      plans.map((plan) => [plan.workspaceId, new PlayedWorkspace(table, plan, launched)]),
    );
    const all = plans.flatMap((plan) => plan.usedAt.map((used) => ({ used, plan })));
    const byMinute = Map.groupBy(all, ({ used }) => used);
    this.uses = new Map([...byMinute].map(([used, ones]) => [used, ones.map(({ plan }) => plan)]));
  }

  /** The minutes of all nodes, from launch to removal. */
  get nodeMinutes(): number {
    return this.endedMinutes;
  }

  get alive(): number {
    return this.nodes.size;
  }

  async run(): Promise<void> {
    const end = Math.max(...this.uses.keys());
    for (; this.minutes <= end || this.nodes.size > 0; this.minutes += 1) {
      const now = at(this.minutes);
      for (const plan of this.uses.get(this.minutes) ?? []) {
        if (staysOf(plan).some(({ from }) => from === this.minutes)) await this.beat(plan, now);
        const isLast = plan.usedAt.at(-1) === this.minutes;
        await this.workspaces.get(plan.workspaceId)?.use(now, { isLast });
      }
      if (this.minutes % passMinutes === 0) await this.pass(now);
      if (this.minutes > end + 24 * 60) throw new Error(`${this.nodes.size} nodes never end`);
    }
    // Clears the records of the last nodes.
    await this.sweep(at(this.minutes));
  }

  private async pass(now: Date): Promise<void> {
    await this.beatAll([...this.nodes.keys()], now);
    await this.sweep(now);
    for (const name of this.started.splice(0)) await this.playSaga(name, now);
    await this.observe();
  }

  private async observe(): Promise<void> {
    const nodeIds = [...this.nodes.keys()];
    if (nodeIds.length === 0) return;
    const find = await getItems(this.table, nodeIds.map(nodeKey));
    for (const nodeId of nodeIds) {
      const item = find(nodeKey(nodeId));
      const node = item && Node.parse(item);
      if (!node) throw new Error(`The row of ${nodeId} is gone`);
      if (node.status === 'deleted') this.ended(node);
      else if (!this.hasReason(node)) this.withoutReason.push(`${nodeId} at minute ${this.minutes}`);
    }
  }

  private ended(node: Node): void {
    const { nodeId, lastWorkspaceId } = node;
    const warmUntil = minuteOf(node.slotsChangedAt) + this.planOf(lastWorkspaceId).owner.warmMinutes;
    this.savedMinutes += Math.max(0, warmUntil - this.minutes);
    this.endedMinutes += this.minutes - (this.nodes.get(nodeId)?.launchedAt ?? Number.NaN);
    this.nodes.delete(nodeId);
  }

  /** By the plans alone: a pass has just ended what its rules do not keep. */
  private hasReason({ slots, slotsChangedAt, lastWorkspaceId }: Node): boolean {
    const holders = [...(slots ?? [])].map((slot) => this.planOf(slot.split('#')[0]));
    if (holders.length > 0) return holders.some((plan) => this.isKept(plan));
    const { warmMinutes } = this.planOf(lastWorkspaceId).owner;
    // The pass after the last stop removes it at the earliest.
    return minuteOf(slotsChangedAt) + Math.max(warmMinutes, passMinutes) > this.minutes;
  }

  private isKept(plan: Plan): boolean {
    return staysOf(plan).some(({ from, to }) => from <= this.minutes && this.minutes < to);
  }

  private planOf(workspaceId: string | undefined): Plan {
    const plan = workspaceId && this.workspaces.get(workspaceId)?.plan;
    if (!plan) throw new Error(`No plan of ${workspaceId}`);
    return plan;
  }

  /** A node has sent a heartbeat in the minutes before a placement. */
  private async beat({ owner }: Plan, now: Date): Promise<void> {
    const rows = [...this.nodes].filter(([, { row }]) => !row || row.userId === owner.userId);
    await this.beatAll(
      rows.map(([nodeId]) => nodeId),
      now,
    );
  }

  private async beatAll(nodeIds: readonly string[], now: Date): Promise<void> {
    const heartbeat = { agentVersion: '1', activeWorkspaces: 1 };
    const beat = async (nodeId: string) => {
      const row = await recordHeartbeat(this.table, nodeId, { heartbeat, now });
      const living = this.nodes.get(nodeId);
      if (living) living.row = row;
    };
    await Promise.all(nodeIds.map(beat));
  }

  private async sweep(now: Date): Promise<void> {
    const client = {
      send: async ({ input }: { input: { name: string } }) => this.started.push(input.name) && {},
    };
    const stepFunctions = client as unknown as Sweep['stepFunctions'];
    const sweep: Sweep = {
      ...{ table: this.table, stepFunctions, sagas: allSagas(stepFunctions), now, log: silent },
      ...{ zone: undefined, objects: testObjects(), budgets: newBudgets() },
      fleet: { client: {} as Sweep['fleet']['client'], deploymentId: 'test' },
    };
    for (const pending of await listPendingReconciles(this.table)) {
      const isSettled = await (pending.kind === 'NODE' ? sweepNode : sweepWorkspace)(sweep, pending.id);
      if (isSettled) await clearPendingReconcile(this.table, pending);
    }
  }

  /** The name of an execution: id, generation or mode, then what it is for. */
  private async playSaga(name: string, now: Date): Promise<void> {
    const [id = '', second, kind, claimId = ''] = name.split('-');
    const workspace = this.workspaces.get(id);
    if (kind === 'stop') await workspace?.stopped(now);
    else if (kind === 'sleep') await workspace?.sleeps(claimId, now);
    else if (second === 'delete') await markNodeRemoved(this.table, { nodeId: id, mode: 'delete', now });
    else throw new Error(`An unexpected saga: ${name}`);
  }
}
