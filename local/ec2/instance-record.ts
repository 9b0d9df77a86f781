import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';

export const instanceStates = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
} as const;
export type InstanceState = keyof typeof instanceStates;

/**
 * What is kept of an instance, so that the next start of the laptop cloud brings it back as it was.
 */
export const InstanceRecord = z.object({
  instanceId: z.string(),
  nodeId: z.string(),
  clientToken: z.string(),
  instanceType: z.string(),
  imageId: z.string(),
  subnetId: z.string(),
  state: z.enum(['pending', 'running', 'shutting-down', 'terminated', 'stopping', 'stopped']),
  stateReason: z.string(),
  launchTime: z.string(),
  terminatedAt: z.nullable(z.string()),
  tags: z.record(z.string(), z.string()),
  /**
   * Loopback port of its agent; it stays the same unless another program takes it while the power
   * is off.
   */
  port: z.int(),
});
export type InstanceRecord = z.infer<typeof InstanceRecord>;

export type NewInstance = Readonly<
  Pick<InstanceRecord, 'nodeId' | 'clientToken' | 'instanceType' | 'imageId' | 'subnetId' | 'tags'>
>;

export const newRecord = ({
  nodeId,
  clientToken,
  instanceType,
  imageId,
  subnetId,
  tags,
}: NewInstance): InstanceRecord => ({
  instanceId: `i-${randomBytes(8).toString('hex')}5`.slice(0, 19),
  nodeId,
  clientToken,
  instanceType,
  imageId,
  subnetId,
  state: 'pending',
  stateReason: '',
  launchTime: new Date().toISOString(),
  terminatedAt: null,
  tags: { ...tags },
  port: 0,
});

type Filter = { readonly name: string; readonly values: readonly string[] };

export class UnsupportedFilter extends Error {}

/**
 * EC2's filters: all of them must hold, and each holds when one of its values matches; `*` stands
 * for anything.
 */
export function matchesFilters(record: InstanceRecord, filters: readonly Filter[]): boolean {
  return filters.every(({ name, values }) => {
    const actual = fieldOf(record, name);
    return actual.some((value) => values.some((pattern) => matchesPattern(value, pattern)));
  });
}

function fieldOf(record: InstanceRecord, name: string): string[] {
  if (name.startsWith('tag:')) {
    const value = record.tags[name.slice('tag:'.length)];
    return value === undefined ? [] : [value];
  }
  switch (name) {
    case 'instance-state-name':
      return [record.state];
    case 'instance-id':
      return [record.instanceId];
    case 'client-token':
      return [record.clientToken];
    case 'tag-key':
      return Object.keys(record.tags);
    case 'instance-type':
      return [record.instanceType];
    default:
      throw new UnsupportedFilter(`The filter ${name} is not known to the EC2 stand-in`);
  }
}

function matchesPattern(value: string, pattern: string): boolean {
  if (!pattern.includes('*')) return value === pattern;
  const source = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(value);
}
