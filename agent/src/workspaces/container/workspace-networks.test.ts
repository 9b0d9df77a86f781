import { expect, it } from 'vitest';
import { parseSubnets, type Subnets, subnetsFrom } from './workspace-networks.js';

it('yields each subnet of the range once', () => {
  const range = parseSubnets('198.51.100.0/24') as Subnets;

  const found = [...subnetsFrom(range, 31)];

  expect(found).toHaveLength(32);
  expect(new Set(found).size).toBe(32);
  expect(found.slice(0, 2)).toEqual(['198.51.100.248/29', '198.51.100.0/29']);
});

it('leaves out subnets in which this machine has an address', () => {
  const range = parseSubnets('127.0.0.0/24') as Subnets;

  expect([...subnetsFrom(range, 0)]).toEqual([]);
});

it.each(['', '10.0.0.0', '10.0.0.0/25', '10.0.0.0/7', '10.0.0.256/16', 'fd00::/16', '10.0.0.0/16 '])(
  'refuses the range "%s"',
  (text) => {
    expect(parseSubnets(text)).toBeUndefined();
  },
);
