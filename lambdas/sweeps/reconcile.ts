// Every five minutes: continues what a crash has interrupted
import * as z from 'zod/mini';
import { reclaimChannels } from '../domain/event-channels/reclaim-channels.js';
import type { Fleet } from '../domain/nodes/instances.js';
import {
  clearPendingReconcile,
  listPendingReconciles,
  type PendingReconcile,
} from '../domain/records/pending-reconcile.js';
import { taskOfPendingReconcile } from '../domain/tasks/task.js';
import { scheduled } from '../edge/consumer.js';
import { nodeZone } from '../edge/node-zone.js';
import { sagasOf } from '../edge/sagas.js';
import { ec2 } from '../shared/clients/ec2.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { uploads } from '../shared/clients/uploads.js';
import { readEnv } from '../shared/env.js';
import { newBudgets, type Sweep } from './sweep.js';
import { sweepInbox } from './sweep-inbox.js';
import { sweepInstances } from './sweep-instances.js';
import { sweepNode } from './sweep-node.js';
import { sweepExpiredSnapshots } from './sweep-sleep.js';
import { sweepTask } from './sweep-task.js';
import { sweepWarmPool } from './sweep-warm-pool.js';
import { sweepWorkspace } from './sweep-workspace.js';

const env = readEnv({
  DEPLOYMENT_ID: z.string(),
});

const fleet: Fleet = { client: ec2, deploymentId: env.DEPLOYMENT_ID };
const sagas = sagasOf(
  'provision-workspace',
  'stop-workspace',
  'delete-workspace',
  'sleep-workspace',
  'remove-node',
  'run-task',
  'end-run',
);

export const handler = scheduled(async ({ table, now, log }) => {
  const sweep: Sweep = {
    table,
    stepFunctions,
    fleet,
    zone: nodeZone,
    objects: uploads,
    sagas,
    now,
    log,
    budgets: newBudgets(),
  };
  const failures: unknown[] = [];
  for (const pending of await listPendingReconciles(table)) {
    await sweepOne(sweep, pending).catch((error: unknown) => {
      // The other records are reconciled all the same.
      failures.push(error);
      log.error('Not reconciled', { kind: pending.kind, id: pending.id, error });
    });
  }
  await sweepExpiredSnapshots(sweep).catch((error: unknown) => failures.push(error));
  await reclaimChannels(sweep).catch((error: unknown) => failures.push(error));
  await sweepInstances(sweep).catch((error: unknown) => failures.push(error));
  await sweepWarmPool(sweep).catch((error: unknown) => failures.push(error));
  await sweepInbox(sweep).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
});

/** True when the record has reached a final state. */
const sweeps: Readonly<
  Record<PendingReconcile['kind'], (sweep: Sweep, one: PendingReconcile) => Promise<boolean>>
> = {
  WORKSPACE: (sweep, { id }) => sweepWorkspace(sweep, id),
  NODE: (sweep, { id }) => sweepNode(sweep, id),
  TASK: (sweep, pending) => sweepTask(sweep, taskOfPendingReconcile(pending)),
};

async function sweepOne(sweep: Sweep, pending: PendingReconcile): Promise<void> {
  const isSettled = await sweeps[pending.kind](sweep, pending);
  if (isSettled) await clearPendingReconcile(sweep.table, pending);
}
