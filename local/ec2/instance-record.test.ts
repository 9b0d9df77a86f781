import { expect, it } from 'vitest';
import { type InstanceRecord, matchesFilters, UnsupportedFilter } from './instance-record.js';

const record: InstanceRecord = {
  instanceId: 'i-1',
  nodeId: 'N',
  clientToken: 'token',
  instanceType: 't4g.large',
  imageId: 'ami-1',
  subnetId: 'subnet-1',
  state: 'running',
  stateReason: '',
  launchTime: '2026-01-01T00:00:00.000Z',
  terminatedAt: null,
  tags: { 'berth:node': 'N', 'berth:stack': 'berth' },
  port: 1,
};
const matches = (name: string, ...values: string[]) => matchesFilters(record, [{ name, values }]);

it('holds when one of the values matches', () => {
  expect(matches('instance-state-name', 'pending', 'running')).toBe(true);
  expect(matches('tag:berth:node', 'M')).toBe(false);
  expect(matches('tag-key', 'berth:stack')).toBe(true);
  expect(matches('tag:none', '*')).toBe(false);
});

it('takes a star for anything, and nothing else for a pattern', () => {
  expect(matches('tag:berth:stack', 'ber*')).toBe(true);
  expect(matches('tag:berth:stack', 'b.rth')).toBe(false);
  expect(matches('tag:berth:stack', 'b.r*')).toBe(false);
});

it('holds only when all filters do', () => {
  const filters = [
    { name: 'instance-id', values: ['i-1'] },
    { name: 'client-token', values: ['another'] },
  ];

  expect(matchesFilters(record, filters)).toBe(false);
});

it('refuses a filter that it does not know instead of finding everything', () => {
  expect(() => matches('vpc-id', 'vpc-1')).toThrow(UnsupportedFilter);
});
