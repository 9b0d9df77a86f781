import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Aws } from '../../../local/aws.js';
import { until } from '../../support/until.js';
import type { Random } from '../agent/random.js';
import { giveUpNode } from '../cloud/give-up-node.js';
import { sendSignal } from '../processes.js';
import type { SleepFaultKind } from './sleep-history.js';
import type { SleepingChat, SleepTarget } from './sleep-target.js';

interface Parts {
  readonly target: SleepTarget;
  readonly chat: SleepingChat;
  readonly random: Random;
}

const sleepFunctions = [
  'sagas/sleep-workspace/capture',
  'sagas/sleep-workspace/verify-snapshot',
  'sagas/sleep-workspace/begin-sleep',
  'sagas/sleep-workspace/stop-unchanged',
  'sagas/sleep-workspace/end-sleep',
  'http/callbacks/session-snapshot-prepare',
  'http/callbacks/session-snapshot-complete',
] as const;
const wakeFunctions = [
  'queues/deliver-prompts',
  'sagas/provision-workspace/place-workspace',
  'sagas/provision-workspace/create-on-node',
  'sagas/provision-workspace/restore-on-node',
  'http/callbacks/session-snapshot-restore-result',
] as const;

/** Two cycles of five have no fault. */
export function chooseFaults(random: Random): readonly SleepFaultKind[] {
  if (random.chance(0.4)) return ['none'];
  const kinds = [
    ...(['kill_agent', 'kill_function', 'message_during_capture'] as const),
    ...(['lose_node', 'wake_twice', 'lose_node_of_wake', 'withhold_object'] as const),
  ];
  const first = random.chance(0.08) ? 'damage_object' : (random.pick(kinds) ?? 'none');
  const second = random.pick(kinds) ?? 'none';
  return random.chance(0.3) && second !== first ? [first, second] : [first];
}

/** At a random point of the sleep. */
export async function breakSleep(
  { target, chat, random }: Parts,
  faults: readonly SleepFaultKind[],
  sendMessage: () => Promise<void>,
): Promise<void> {
  const { nodeId } = await target.workspace(chat.workspaceId);
  await wait(random.between(0, 2_500));
  if (faults.includes('kill_agent') && random.chance(0.5)) kill(target.agentPid(String(nodeId)));
  if (faults.includes('kill_function')) await killOne({ target, chat, random }, sleepFunctions);
  if (faults.includes('message_during_capture')) await sendMessage();
}

/** While it sleeps. */
export async function breakSleeping(
  { target, chat, random }: Parts,
  faults: readonly SleepFaultKind[],
  nodeId: string,
): Promise<void> {
  if (faults.includes('lose_node') && target.cloud.instances.ofNode(nodeId)?.state === 'running')
    await giveUpNode(target.cloud, nodeId);
  if (faults.includes('damage_object')) await damageObject(target, chat, random);
}

/** At a random point of the wake. */
export async function breakWake({ target, chat, random }: Parts, faults: readonly SleepFaultKind[]) {
  if (faults.includes('wake_twice'))
    await Promise.all(
      [1, 2].map(() => target.person.post('/api/terminal/token', { workspaceId: chat.workspaceId })),
    );
  if (faults.includes('withhold_object')) await withholdObject(target, chat, random);
  if (faults.includes('lose_node_of_wake')) await loseNodeOfWake({ target, chat, random });
  else await wait(random.between(0, 4_000));
  const { nodeId } = await target.workspace(chat.workspaceId);
  if (faults.includes('kill_agent') && nodeId) kill(target.agentPid(String(nodeId)));
  if (faults.includes('kill_function')) await killOne({ target, chat, random }, wakeFunctions);
}

async function killOne({ target, random }: Parts, names: readonly string[]): Promise<void> {
  // Repeated, as most steps are short.
  for (let times = 0; times < 20; times += 1) {
    for (const name of names.toSorted(() => random.next() - 0.5))
      for (const pid of await target.functionPids(name)) if (kill(pid)) return;
    await wait(100);
  }
}

/** As soon as the wake has a node, whose agent is held before anything is decided. */
async function loseNodeOfWake({ target, chat, random }: Parts): Promise<void> {
  const wakeOf = () => target.item(`WORKSPACE#${chat.workspaceId}`, 'WORKSPACE');
  const nodeOf = (row: Awaited<ReturnType<typeof wakeOf>>) => (row?.wake?.M ? row.nodeId?.S : undefined);
  const nodeId = await until('the wake has a node', async () => nodeOf(await wakeOf()), 5_000).catch(
    () => '',
  );
  await wait(random.between(0, 400));
  const pid = nodeId && target.agentPid(nodeId);
  if (!pid || !sendSignal(pid, 'SIGSTOP')) return;
  // A node whose wake has ended would take new work with it.
  if (nodeOf(await wakeOf()) === nodeId) await giveUpNode(target.cloud, nodeId);
  else sendSignal(pid, 'SIGCONT');
}

/** S3 refuses one object of the snapshot for a while, as it does without a grant. */
async function withholdObject(target: SleepTarget, chat: SleepingChat, random: Random): Promise<void> {
  using aws = new Aws(target.cloud);
  const { Bucket, Key } = await pickObject(aws, chat, random);
  const { Body } = await aws.s3.send(new GetObjectCommand({ Bucket, Key }));
  const kept = (await Body?.transformToByteArray()) ?? new Uint8Array();
  await aws.s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await wait(random.between(500, 4_000));
  await aws.s3.send(new PutObjectCommand({ Bucket, Key, Body: kept }));
}

/** Changes or truncates one object of the snapshot. */
async function damageObject(target: SleepTarget, chat: SleepingChat, random: Random): Promise<void> {
  using aws = new Aws(target.cloud);
  const { Bucket, Key, Size } = await pickObject(aws, chat, random);
  const Body = Buffer.alloc(random.chance(0.5) ? Size : Math.floor(Size / 2), 'x');
  await aws.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
}

async function pickObject({ s3 }: Aws, chat: SleepingChat, random: Random) {
  const { Buckets = [] } = await s3.send(new ListBucketsCommand());
  const found = await Promise.all(
    Buckets.map(async ({ Name: Bucket }) => {
      const Prefix = `snapshots/${chat.workspaceId}/`;
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
      return Contents.map(({ Key, Size = 0 }) => ({ Bucket, Key, Size }));
    }),
  );
  const objects = found.flat().filter(({ Key }) => /(?:home|wip)$/.test(Key ?? ''));
  const chosen = random.pick(objects);
  if (!chosen) throw new Error(`The snapshot of ${chat.workspaceId} has no object`);
  return chosen;
}

const kill = (pid: number | undefined): boolean => pid !== undefined && sendSignal(pid, 'SIGKILL');
