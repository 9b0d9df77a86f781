import { throttle } from '../../infra/limits.js';
import { type Load, type Loads, loadsOf } from './loads.js';

interface Quota {
  readonly name: string;
  readonly load: keyof Load;
  /** A second; of functions, at the same time. */
  readonly value: number;
  /** Chats have a partition each; the others share one. */
  readonly perChat?: boolean;
  readonly remedy: string;
}

/** Defaults of AWS for one account and region, and the throttle of the deployment itself. */
const quotas: readonly Quota[] = [
  {
    name: 'Lambda, concurrent executions, new account',
    load: 'functionSeconds',
    value: 10,
    remedy: 'Request 1,000 before the first deployment',
  },
  {
    name: 'Lambda, concurrent executions',
    load: 'functionSeconds',
    value: 1_000,
    remedy: 'Raise the quota',
  },
  {
    name: 'Throttle of the deployment',
    load: 'requests',
    value: throttle.rateLimit,
    remedy: 'Raise `throttle` in `infra/limits.ts`',
  },
  {
    name: 'API Gateway, requests',
    load: 'requests',
    value: 10_000,
    remedy: 'Raise the quota',
  },
  {
    name: 'KMS, signatures with ECC keys',
    load: 'signatures',
    value: 300,
    remedy: 'Raise the quota; some regions have 1,000',
  },
  {
    name: 'Step Functions, StartExecution',
    load: 'sagaStarts',
    value: 150,
    remedy: 'Raise the quota; the largest regions have 300. The sweep starts refused sagas later',
  },
  {
    name: 'EC2, RunInstances',
    load: 'launches',
    value: 2,
    remedy: 'Raise `nodeCapacity`; then the quota',
  },
  {
    name: 'Route 53, changes (with `nodesDomain`)',
    load: 'dnsChanges',
    value: 5,
    remedy: 'Not adjustable. Raise `nodeCapacity`, or omit `nodesDomain`',
  },
  {
    name: 'DynamoDB, writes of one partition',
    load: 'hottestWrites',
    value: 1_000,
    perChat: true,
    remedy: 'Not adjustable. Divide the partition `PENDINGRECONCILE`',
  },
];

/** The table of docs/scaling.md: the number at which one kind of load alone reaches each quota. */
export function scalingTable(nodeCapacity = 3): string {
  const loads = loadsOf({ nodeCapacity });
  const rows = quotas.map((quota) => {
    const { name, value, remedy } = quota;
    const numbers = (['person', 'chat', 'workspace'] as const).map((unit) => reachedAt(quota, loads, unit));
    return `| ${name} | ${value.toLocaleString('en-US')} | ${numbers.join(' | ')} | ${remedy} |`;
  });
  return [
    '| Quota | Default | People | Chats | Workspaces | At the limit |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reachedAt({ load, value, perChat }: Quota, loads: Loads, unit: keyof Loads): string {
  const each = loads[unit][load];
  if (each === 0) return '–';
  // A chat has a partition of its own, so more chats do not add to it.
  if (perChat && unit === 'chat') return 'never';
  return Math.floor(value / each).toLocaleString('en-US');
}
