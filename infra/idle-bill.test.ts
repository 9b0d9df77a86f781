import { describe, expect, it } from 'vitest';
import { idleBill, warmPoolBill } from './idle-bill.js';
import { synthesise } from './testing.js';

const ceiling = 5;

describe('the idle bill', () => {
  const { stacks } = synthesise();
  const resources = [...stacks.values()].flatMap((stack) => Object.values(stack));

  it('stays under five dollars a month', () => {
    const { expected, lines } = idleBill(resources);
    expect(expected, JSON.stringify(lines)).toBeLessThan(ceiling);
  });

  it('needs none of the account’s free alarms and dashboards to stay under eight', () => {
    expect(idleBill(resources).list).toBeLessThan(8);
  });

  it('charges every key, so a rotation is seen', () => {
    const rotated = synthesise({ signingKeyGenerations: [1, 2] }).of('AWS::KMS::Key');
    expect(idleBill(rotated).expected).toBe(3);
  });

  it.each(['AWS::EC2::NatGateway', 'AWS::EC2::VPCEndpoint', 'AWS::ElasticLoadBalancingV2::LoadBalancer'])(
    'refuses a %s, which is billed by the hour',
    (Type) => {
      expect(() => idleBill([{ Type }])).toThrow(Type);
    },
  );

  it.each([
    [0, 0],
    [1, 4.8],
    [3, 14.4],
  ])('grows with %i waiting nodes by the price of their disks, $%f', (warmNodes, dollars) => {
    expect(warmPoolBill(warmNodes, 60)).toBeCloseTo(dollars);
  });

  it('has no other cost of waiting nodes', () => {
    const waiting = [...synthesise({ warmNodes: 3 }).stacks.values()].flatMap((one) => Object.values(one));
    expect(idleBill(waiting).list).toBe(idleBill(resources).list);
  });

  it('refuses provisioned capacity', () => {
    const table = { Type: 'AWS::DynamoDB::Table', Properties: { ProvisionedThroughput: {} } };
    expect(() => idleBill([table])).toThrow('by the hour');
  });
});
