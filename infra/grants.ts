import { type SagaName, sagaNames } from '../lambdas/saga-names.js';
import type { StepGrant } from '../lambdas/sagas/steps.js';
import type { LiveApi } from './constructs/live-api.js';
import type { NodeDns } from './constructs/node-dns.js';
import type { NodeFleet } from './constructs/node-fleet.js';
import type { Saga } from './constructs/saga.js';
import type { ServiceFunction } from './constructs/service-function.js';
import type { DataStack } from './stacks/data-stack.js';

/** What functions behind the socket, the stream and the sweep need besides. */
export type FunctionGrant =
  | StepGrant
  /** Count requests against a limit, and change nothing else in the table. */
  | 'limits:count'
  /** Stop instances that carry this deployment's tag. */
  | 'ec2:stop'
  | 'live:push';

export interface Granted {
  readonly data: DataStack;
  readonly fleet: NodeFleet;
  readonly dns: NodeDns;
  readonly liveApi: LiveApi;
  /** Where nodes call. */
  readonly callbackUrl: string;
  /** Origins of the model providers that are asked about keys. */
  readonly providerUrls: Readonly<Record<string, string>>;
  readonly sagas: ReadonlyMap<SagaName, Saga>;
}

type Granting = (to: ServiceFunction) => void;

/** One entry a grant: the compiler asks for the entry when a grant is added to the tables. */
function grantings(granted: Granted): Record<FunctionGrant, Granting> {
  const { data, fleet, dns, liveApi, callbackUrl, providerUrls, sagas } = granted;
  return {
    'table:read': (to) => data.table.grantRead(to),
    'table:write': (to) => data.table.grantWrite(to),
    'limits:count': (to) => data.table.grantCount(to),
    'tokens:sign': (to) => data.signingKeys.grantSign(to),
    'tokens:verify': (to) => data.signingKeys.grantVerify(to),
    'secrets:seal': (to) => data.dataKey.grantSeal(to),
    'secrets:open': (to) => data.dataKey.grantOpen(to),
    'codehost:app': (to) => data.codeHost.grantUse(to),
    'codehost:webhook': (to) => data.codeHost.grantWebhook(to),
    'push:key': (to) => data.pushSecret.grantUse(to),
    'providers:ask': (to) => to.setEnvironment({ PROVIDER_URLS: JSON.stringify(providerUrls) }),
    'artifacts:read': (to) => {
      data.artifacts.grantRead(to, 'agents');
      to.setEnvironment({ ARTIFACTS_BUCKET: data.artifacts.bucket.bucketName });
    },
    ...objectGrantings(data),
    ...startingSagas(sagas),
    'prompts:wake-up': (to) => data.wakeUpQueues.grantSend(to),
    'sagas:answer': (to) => {
      for (const name of ['provision-workspace', 'sleep-workspace'] as const)
        sagas.get(name)?.grantAnswer(to);
    },
    ...usingInstances(fleet, callbackUrl),
    'dns:write': (to) => dns.grantWrite(to),
    'live:push': (to) => liveApi.grantPush(to),
  };
}

type ObjectGrant = Extract<
  FunctionGrant,
  `${'uploads' | 'content' | 'history' | 'changes' | 'snapshots'}:${string}`
>;

/** Objects of one bucket, each kind below a prefix of its own. */
function objectGrantings({ snapshots }: DataStack): Record<ObjectGrant, Granting> {
  return {
    'uploads:write': (to) => snapshots.grantUploads(to, { 's3:PutObject': 'attachments' }),
    'uploads:read': (to) => snapshots.grantUploads(to, { 's3:GetObject': 'attachments' }),
    'content:upload': (to) => snapshots.grantUploads(to, { 's3:PutObject': 'message-uploads' }),
    'content:keep': (to) =>
      snapshots.grantUploads(to, {
        's3:GetObject': 'message-uploads',
        's3:PutObject': 'message-content',
      }),
    'content:read': (to) => snapshots.grantUploads(to, { 's3:GetObject': 'message-content' }),
    'content:delete': (to) => snapshots.grantUploads(to, { 's3:DeleteObject': 'message-content' }),
    'history:write': (to) => snapshots.grantUploads(to, { 's3:PutObject': 'resource-history' }),
    'history:read': (to) => snapshots.grantUploads(to, { 's3:GetObject': 'resource-history' }),
    'changes:write': (to) => snapshots.grantUploads(to, { 's3:PutObject': 'task-changes' }),
    'changes:read': (to) => snapshots.grantUploads(to, { 's3:GetObject': 'task-changes' }),
    'changes:delete': (to) => snapshots.grantUploads(to, { 's3:DeleteObject': 'task-changes' }),
    'snapshots:write': (to) => snapshots.grantUploads(to, { 's3:PutObject': 'snapshots' }),
    'snapshots:read': (to) => snapshots.grantUploads(to, { 's3:GetObject': 'snapshots' }),
    'snapshots:delete': (to) => snapshots.grantUploads(to, { 's3:DeleteObject': 'snapshots' }),
  };
}

type UsingInstances = Record<Extract<FunctionGrant, `ec2:${string}`>, Granting>;

const usingInstances = (fleet: NodeFleet, callbackUrl: string): UsingInstances => ({
  'ec2:run': (to) => fleet.grantRun(to, { callbackUrl }),
  'ec2:describe': (to) => fleet.grantDescribe(to),
  'ec2:start': (to) => fleet.grantStart(to),
  'ec2:stop': (to) => fleet.grantStop(to),
  'ec2:terminate': (to) => fleet.grantTerminate(to),
});

type StartingSagas = Record<`saga:${SagaName}`, Granting>;

const startingSagas = (sagas: Granted['sagas']): StartingSagas =>
  Object.fromEntries(
    sagaNames.map((name) => [`saga:${name}`, (to: ServiceFunction) => sagas.get(name)?.grantStart(to)]),
  ) as StartingSagas;

export function give(granted: Granted, to: ServiceFunction, grants: readonly FunctionGrant[]): void {
  const table = grantings(granted);
  for (const grant of grants) table[grant](to);
}
