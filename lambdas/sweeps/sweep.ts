import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Fleet } from '../domain/nodes/instances.js';
import type { NodeZone } from '../domain/nodes/node-dns.js';
import type { Sagas } from '../domain/sagas/sagas.js';
import type { Log } from '../shared/log.js';
import type { Table } from '../shared/table.js';

/** The dependencies of every part of the sweep. */
export interface Sweep {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly fleet: Fleet;
  /** Undefined in a deployment without a nodes domain. */
  readonly zone: NodeZone | undefined;
  readonly sagas: Sagas;
  readonly now: Date;
  readonly log: Log;
}

export const isOlder = ({ now }: Sweep, since: string, ms: number): boolean =>
  now.getTime() - Date.parse(since) > ms;
