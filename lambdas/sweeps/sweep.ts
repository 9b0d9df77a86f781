import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Fleet } from '../domain/nodes/instances.js';
import type { NodeZone } from '../domain/nodes/node-dns.js';
import type { Sagas } from '../domain/sagas/sagas.js';
import type { Log } from '../shared/log.js';
import type { ObjectStore } from '../shared/object-store.js';
import type { Table } from '../shared/table.js';

/** The dependencies of every part of the sweep. */
export interface Sweep {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly fleet: Fleet;
  /** Undefined in a deployment without a nodes domain. */
  readonly zone: NodeZone | undefined;
  /** The bucket of the snapshots. */
  readonly objects: ObjectStore;
  readonly sagas: Sagas;
  readonly now: Date;
  readonly log: Log;
  readonly budgets: Budgets;
}

/** How much one pass begins. The next pass continues. */
interface Budgets {
  /** Removals of nodes. */
  readonly nodes: Budget;
  /** Stops of idle workspaces. */
  readonly workspaces: Budget;
  /** Sleeps of idle workspaces. */
  readonly sleeps: Budget;
}

export const newBudgets = (): Budgets => ({
  nodes: new Budget(25),
  workspaces: new Budget(50),
  sleeps: new Budget(10),
});

export class Budget {
  constructor(private left: number) {}

  /** False when the pass has begun enough. */
  take(): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
    return true;
  }
}

export const isOlder = ({ now }: Pick<Sweep, 'now'>, since: string, ms: number): boolean =>
  now.getTime() - Date.parse(since) > ms;
