import { EC2ServiceException } from '@aws-sdk/client-ec2';
import { waitingUserData } from '../domain/nodes/bootstrap.js';
import {
  instancesOfNode,
  isLive,
  launchInstance,
  type NodeInstance,
  stopInstance,
  terminateInstances,
} from '../domain/nodes/instances.js';
import {
  addWarmNode,
  forgetWarmNode,
  listWarmNodes,
  moveWarmNode,
  type WarmNode,
} from '../domain/nodes/warm-node.js';
import { isOlder, type Sweep } from './sweep.js';
import type { WarmPool } from './warm-pool.js';

/**
 * For which an instance reads its image. The boot guard of the image powers it off, which ends it,
 * after 15 minutes.
 */
const bootMs = 5 * 60_000;
/** EC2 lists a new instance with a delay. */
const unlistedMs = 5 * 60_000;

/** Keeps as many stopped instances of the current image as the deployment wants. */
export async function sweepWarmNodes(sweep: Sweep, pool: WarmPool): Promise<void> {
  const nodes = await listWarmNodes(sweep.table);
  if (nodes.length === 0 && pool.size === 0) return;
  const imageId = await pool.currentImage();
  const wanted = nodes.filter((node) => isWanted(node, pool, imageId)).slice(0, pool.size);
  const failures: unknown[] = [];
  for (const node of nodes) {
    const work = wanted.includes(node) ? advance(sweep, pool, node) : retire(sweep, node);
    await work.catch((error: unknown) => failures.push(error));
  }
  for (let count = wanted.length; imageId && count < pool.size; count += 1)
    await add(sweep, pool, imageId).catch((error: unknown) => failures.push(error));
  if (failures.length > 0)
    throw new AggregateError(failures, 'The pool of waiting instances is not as wanted');
}

/** Before the first release, or while its parameter is missing, no image is outdated. */
const isWanted = (node: WarmNode, { type }: WarmPool, imageId: string | undefined): boolean =>
  node.status !== 'retired' &&
  node.instanceType === type.name &&
  (imageId === undefined || node.imageId === imageId);

async function add(sweep: Sweep, pool: WarmPool, imageId: string): Promise<void> {
  const { newId, type } = pool;
  const createdAt = sweep.now.toISOString();
  const node = { nodeId: newId(), status: 'launching', instanceType: type.name, imageId, createdAt } as const;
  await addWarmNode(sweep.table, node);
  await launch(sweep, pool, node);
}

/** A repeat gives the same instance: the request differs in nothing. */
async function launch(sweep: Sweep, pool: WarmPool, node: WarmNode): Promise<void> {
  const { launchTemplateId, subnetIds, type, rootDevice } = pool;
  const { nodeId } = node;
  const subnetId = subnetIds[nodeId.charCodeAt(nodeId.length - 1) % subnetIds.length] ?? '';
  const clientToken = `${nodeId}-warm`;
  const place = { launchTemplateId, subnetId, type, rootDevice };
  try {
    await launchInstance(sweep.fleet, {
      ...place,
      nodeId,
      name: 'waiting',
      userData: waitingUserData(),
      clientToken,
    });
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    sweep.log.warn('No waiting instance launched', { nodeId, subnetId, error: error.name });
    // The next pass tries another id, by chance in another subnet.
    await forgetWarmNode(sweep.table, node);
    return;
  }
  await moveWarmNode(sweep.table, node, 'booting');
}

async function advance(sweep: Sweep, pool: WarmPool, node: WarmNode): Promise<void> {
  if (node.status === 'launching') return launch(sweep, pool, node);
  const [instance] = (await instancesOfNode(sweep.fleet, node.nodeId)).filter(isLive);
  if (!instance) return isUnlisted(sweep, node) ? undefined : retire(sweep, node);
  if (node.status === 'booting') return settle(sweep, node, instance);
  // Somebody has started it: it does not wait.
  if (instance.state !== 'stopped') await retire(sweep, node);
}

async function settle(sweep: Sweep, node: WarmNode, { instanceId, state }: NodeInstance): Promise<void> {
  if (state === 'stopped') await moveWarmNode(sweep.table, node, 'ready');
  else if (state === 'running' && isOlder(sweep, node.createdAt, bootMs))
    await stopInstance(sweep.fleet, instanceId);
}

const isUnlisted = (sweep: Sweep, { createdAt }: WarmNode): boolean => !isOlder(sweep, createdAt, unlistedMs);

/** From here on no placement takes it. Its row goes once EC2 has ended the instance. */
async function retire(sweep: Sweep, node: WarmNode): Promise<void> {
  if (node.status !== 'retired' && !(await moveWarmNode(sweep.table, node, 'retired'))) return;
  const live = (await instancesOfNode(sweep.fleet, node.nodeId)).filter(isLive);
  if (live.length === 0) {
    if (!isUnlisted(sweep, node)) await forgetWarmNode(sweep.table, { ...node, status: 'retired' });
    return;
  }
  sweep.log.info('Waiting instance retired', { nodeId: node.nodeId, imageId: node.imageId });
  await terminateInstances(
    sweep.fleet,
    live.map(({ instanceId }) => instanceId),
  );
}
