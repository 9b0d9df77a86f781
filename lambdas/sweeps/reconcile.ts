// Every five minutes: goes on where a crash left something
import * as z from 'zod/mini';
import type { Fleet } from '../domain/nodes/instances.js';
import { listUnsettled, settle, type Unsettled } from '../domain/records/unsettled.js';
import { taskOfUnsettled } from '../domain/tasks/unsettled-task.js';
import { scheduled } from '../edge/consumer.js';
import { nodeZone } from '../edge/node-zone.js';
import { ec2 } from '../shared/clients/ec2.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { readEnv } from '../shared/env.js';
import type { Sweep } from './sweep.js';
import { sweepInstances } from './sweep-instances.js';
import { sweepNode } from './sweep-node.js';
import { sweepTask } from './sweep-task.js';
import { sweepWorkspace } from './sweep-workspace.js';

const env = readEnv({
  DEPLOYMENT_ID: z.string(),
  PROVISION_WORKSPACE_ARN: z.string(),
  STOP_WORKSPACE_ARN: z.string(),
  DELETE_WORKSPACE_ARN: z.string(),
  REMOVE_NODE_ARN: z.string(),
  RUN_TASK_ARN: z.string(),
  END_RUN_ARN: z.string(),
});
const fleet: Fleet = { client: ec2, deploymentId: env.DEPLOYMENT_ID };
const arns = {
  'provision-workspace': env.PROVISION_WORKSPACE_ARN,
  'stop-workspace': env.STOP_WORKSPACE_ARN,
  'delete-workspace': env.DELETE_WORKSPACE_ARN,
  'remove-node': env.REMOVE_NODE_ARN,
  'run-task': env.RUN_TASK_ARN,
  'end-run': env.END_RUN_ARN,
};

export const handler = scheduled(async ({ table, now, log }) => {
  const sweep: Sweep = { table, stepFunctions, fleet, zone: nodeZone, arns, now, log };
  const failures: unknown[] = [];
  for (const unsettled of await listUnsettled(table)) {
    await sweepOne(sweep, unsettled).catch((error: unknown) => {
      // One record that cannot be mended must not keep the others from it.
      failures.push(error);
      log.error('Not reconciled', { kind: unsettled.kind, id: unsettled.id, error });
    });
  }
  await sweepInstances(sweep).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
});

/** True when the record has come to rest. */
const sweeps: Readonly<Record<Unsettled['kind'], (sweep: Sweep, one: Unsettled) => Promise<boolean>>> = {
  WORKSPACE: (sweep, { id }) => sweepWorkspace(sweep, id),
  NODE: (sweep, { id }) => sweepNode(sweep, id),
  TASK: (sweep, unsettled) => sweepTask(sweep, taskOfUnsettled(unsettled)),
};

async function sweepOne(sweep: Sweep, unsettled: Unsettled): Promise<void> {
  const isSettled = await sweeps[unsettled.kind](sweep, unsettled);
  if (isSettled) await settle(sweep.table, unsettled);
}
