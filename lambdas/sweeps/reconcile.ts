// Every five minutes: continues what a crash has interrupted
import * as z from 'zod/mini';
import { deleteEndedChats } from '../domain/chats/ended-chats.js';
import { deleteUnstored } from '../domain/chats/unstored-content.js';
import { reclaimChannels } from '../domain/event-channels/reclaim-channels.js';
import type { Fleet } from '../domain/nodes/instances.js';
import {
  clearPendingReconcile,
  listPendingReconciles,
  type PendingReconcile,
} from '../domain/records/pending-reconcile.js';
import { deleteOldTasks } from '../domain/tasks/deleted-tasks.js';
import { taskOfPendingReconcile } from '../domain/tasks/task.js';
import { scheduled } from '../edge/consumer.js';
import { nodeZone } from '../edge/node-zone.js';
import { sagasOf } from '../edge/sagas.js';
import { ec2 } from '../shared/clients/ec2.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { uploads } from '../shared/clients/uploads.js';
import { readEnv } from '../shared/env.js';
import { Attempts } from './attempts.js';
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
  const attempts = new Attempts(log);
  for (const pending of await listPendingReconciles(table)) {
    const { kind, id } = pending;
    await attempts.at(() => sweepOne(sweep, pending), 'Not reconciled', { kind, id });
  }
  for (const [part, work] of Object.entries(parts))
    await attempts.at(() => work(sweep), 'Part of the sweep failed', { part });
  attempts.end();
});

const parts: Readonly<Record<string, (sweep: Sweep) => Promise<unknown>>> = {
  snapshots: sweepExpiredSnapshots,
  channels: reclaimChannels,
  unstoredContents: ({ table, objects, now }) => deleteUnstored(table, { contents: objects, now }),
  endedChats: ({ table, objects, now }) => deleteEndedChats({ table, contents: objects, now }),
  deletedTasks: ({ table, objects, now }) => deleteOldTasks({ table, contents: objects, now }),
  instances: sweepInstances,
  warmPool: sweepWarmPool,
  inbox: sweepInbox,
};

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
