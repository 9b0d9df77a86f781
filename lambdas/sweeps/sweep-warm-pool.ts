import * as z from 'zod/mini';
import { warmUserData } from '../domain/nodes/bootstrap.js';
import { findNode } from '../domain/nodes/find-node.js';
import { type InstanceType, typesHolding } from '../domain/nodes/instance-types.js';
import { launchInstance, terminateInstances } from '../domain/nodes/instances.js';
import { requestedReservation } from '../domain/nodes/reservation.js';
import { stopInstances, type WaitingMachine, waitingMachines } from '../domain/nodes/warm-pool.js';
import { offer } from '../edge/offer.js';
import { readEnv } from '../shared/env.js';
import { newId } from '../shared/ids.js';
import { isOlder, type Sweep } from './sweep.js';

const env = readEnv({
  WARM_NODES: z.coerce.number(),
  LAUNCH_TEMPLATE_ID: z.string(),
  SUBNET_IDS: z.string().check(z.minLength(1)),
  ROOT_DEVICE: z.string().check(z.minLength(1)),
});

const subnetIds = env.SUBNET_IDS.split(',');

type PoolSweep = Pick<Sweep, 'table' | 'fleet' | 'now' | 'log'>;

/** Enough to boot and to read the image; the guard of the image ends a machine after 15 minutes. */
const bootMs = 5 * 60_000;

/** What a workspace without requirements gets. */
const [waitingType] = typesHolding(requestedReservation(null), offer);

/**
 * Keeps `warmNodes` waiting machines of the type of default workspaces: launches missing ones,
 * stops those that have read their image, and terminates those that are too many or of another
 * type.
 */
export async function sweepWarmPool(sweep: PoolSweep): Promise<void> {
  const type = waitingType ?? offer.types[0];
  if (!type) return;
  const { table, fleet } = sweep;
  const machines = await waitingMachines(table, fleet);
  const { kept, surplus } = divide(machines, type);
  const booted = kept.filter(({ state, launchedAt }) => {
    return state === 'running' && launchedAt && isOlder(sweep, launchedAt.toISOString(), bootMs);
  });
  await stopInstances(
    fleet,
    booted.map(({ instanceId }) => instanceId),
  );
  for (const machine of surplus) await terminate(sweep, machine);
  for (let missing = env.WARM_NODES - kept.length; missing > 0; missing -= 1)
    if (!(await launch(sweep, type))) return;
}

/** Not one that became a node since it was listed. */
async function terminate({ table, fleet }: PoolSweep, { nodeId, instanceId }: WaitingMachine): Promise<void> {
  if (!(await findNode(table, nodeId))) await terminateInstances(fleet, [instanceId]);
}

/** A stopped one is kept before one that boots. */
function divide(machines: readonly WaitingMachine[], { name }: InstanceType) {
  const usable = machines
    .filter(({ instanceType }) => instanceType === name)
    .toSorted((a, b) => Number(b.state === 'stopped') - Number(a.state === 'stopped'));
  const kept = usable.slice(0, env.WARM_NODES);
  return { kept, surplus: machines.filter((one) => !kept.includes(one)) };
}

/** False when EC2 refuses the launch: the next sweep tries again. */
async function launch({ fleet, log }: PoolSweep, type: InstanceType): Promise<boolean> {
  const nodeId = newId();
  const subnetId = subnetIds[nodeId.charCodeAt(nodeId.length - 1) % subnetIds.length] ?? '';
  const launched = launchInstance(fleet, {
    nodeId,
    subnetId,
    type,
    isWarm: true,
    name: 'waiting',
    launchTemplateId: env.LAUNCH_TEMPLATE_ID,
    rootDevice: env.ROOT_DEVICE,
    userData: warmUserData,
    clientToken: nodeId,
  });
  return launched.then(
    (instanceId) => {
      log.info('Waiting machine launched', { nodeId, instanceId });
      return true;
    },
    (error: unknown) => {
      log.warn('Waiting machine not launched', { type: type.name, error });
      return false;
    },
  );
}
