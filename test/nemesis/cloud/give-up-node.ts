import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { EmulatorAccess } from '../../../local/access/keys.js';
import { Aws } from '../../../local/aws.js';
import type { LaptopCloud } from '../../../local/laptop-cloud.js';
import { until } from '../../support/until.js';
import { invokeFunction } from './invoke-function.js';

/** Longer than a node may be silent before anybody asks whether its machine is there. */
const silentForMs = 10 * 60_000;

/**
 * Terminates the machine of a node; then the sweep comes, as if all the time had passed that it
 * waits.
 */
export async function giveUpNode(cloud: LaptopCloud, nodeId: string): Promise<void> {
  const instance = cloud.instances.ofNode(nodeId);
  if (!instance) throw new Error(`Node ${nodeId} has no machine`);
  cloud.instances.terminate(instance);
  await until('its machine is gone', () =>
    cloud.instances.ofNode(nodeId)?.state === 'terminated' ? true : undefined,
  );
  using aws = new Aws(cloud);
  await aws.dynamo.send(
    new UpdateItemCommand({
      TableName: cloud.outputs.TableName,
      Key: { pk: { S: `NODE#${nodeId}` }, sk: { S: 'NODE' } },
      UpdateExpression: 'SET lastHeartbeatAt = :then',
      ExpressionAttributeValues: { ':then': { S: new Date(Date.now() - silentForMs).toISOString() } },
    }),
  );
  await sweep(cloud);
}

/** As its schedule would. */
export async function sweep(access: EmulatorAccess): Promise<void> {
  await invokeFunction(access, 'sweeps/reconcile', {});
}
