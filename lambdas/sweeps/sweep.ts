import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Fleet } from '../domain/nodes/instances.js';
import type { NodeZone } from '../domain/nodes/node-dns.js';
import type { Saga } from '../sagas/steps.js';
import type { Log } from '../shared/log.js';
import type { Table } from '../shared/table.js';

/** What every part of the sweep works with. */
export interface Sweep {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly fleet: Fleet;
  /** Nothing in a deployment without a nodes domain. */
  readonly zone: NodeZone | undefined;
  readonly arns: Readonly<Record<Exclude<Saga, 'end-session' | 'end-membership'>, string>>;
  readonly now: Date;
  readonly log: Log;
}

export const isOlder = ({ now }: Sweep, since: string, ms: number): boolean =>
  now.getTime() - Date.parse(since) > ms;
