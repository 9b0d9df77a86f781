// Every five minutes: goes on where a crash left something
import * as z from 'zod/mini';
import type { Fleet } from '../domain/nodes/instances.js';
import { listUnsettled, settle, type Unsettled } from '../domain/records/unsettled.js';
import { scheduled } from '../edge/consumer.js';
import { nodeZone } from '../edge/node-zone.js';
import { ec2 } from '../shared/clients/ec2.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { readEnv } from '../shared/env.js';
import type { Sweep } from './sweep.js';
import { sweepInstances } from './sweep-instances.js';
import { sweepNode } from './sweep-node.js';
import { sweepWorkspace } from './sweep-workspace.js';

const env = readEnv({
  DEPLOYMENT_ID: z.string(),
  PROVISION_WORKSPACE_ARN: z.string(),
  STOP_WORKSPACE_ARN: z.string(),
  DELETE_WORKSPACE_ARN: z.string(),
  REMOVE_NODE_ARN: z.string(),
});
const fleet: Fleet = { client: ec2, deploymentId: env.DEPLOYMENT_ID };
const arns = {
  'provision-workspace': env.PROVISION_WORKSPACE_ARN,
  'stop-workspace': env.STOP_WORKSPACE_ARN,
  'delete-workspace': env.DELETE_WORKSPACE_ARN,
  'remove-node': env.REMOVE_NODE_ARN,
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

async function sweepOne(sweep: Sweep, unsettled: Unsettled): Promise<void> {
  const { kind, id } = unsettled;
  const isSettled = kind === 'WORKSPACE' ? await sweepWorkspace(sweep, id) : await sweepNode(sweep, id);
  if (isSettled) await settle(sweep.table, unsettled);
}
