import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idleBill, waitingMachinesBill } from './idle-bill.js';
import { synthesise } from './testing.js';

const ceiling = 5;
/** A snapshot of up to 3 GB. */
const imagePrice = 0.15;

describe('the idle bill', () => {
  const { stacks } = synthesise();
  const resources = [...stacks.values()].flatMap((stack) => Object.values(stack));

  it('stays under five dollars a month', () => {
    const { expected, lines } = idleBill(resources);
    expect(expected, JSON.stringify(lines)).toBeLessThan(ceiling);
  });

  it('leaves enough for the three node images that are kept', () => {
    const { expected } = idleBill(resources);
    expect(expected).toBeLessThan(ceiling - 3 * imagePrice);
    expect(readFileSync('docs/deploying.md', 'utf8')).toContain(
      `$${expected.toFixed(2)} are in the templates`,
    );
  });

  it('counts what asks the queues, which costs also while nobody sends', () => {
    const { lines } = idleBill(resources);
    expect(lines).toContainEqual({
      type: 'AWS::Lambda::EventSourceMapping of a queue',
      count: 3,
      dollars: expect.closeTo(0.84),
    });
  });

  it('needs none of the account’s free alarms and dashboards to stay under nine', () => {
    expect(idleBill(resources).list).toBeLessThan(9);
  });

  it('has no more resources with waiting machines: the documents name what their disks cost', () => {
    const warm = synthesise({ warmNodes: 2 });
    const all = [...warm.stacks.values()].flatMap((stack) => Object.values(stack));
    expect(idleBill(all).list).toBe(idleBill(resources).list);

    const dollars = waitingMachinesBill({ count: 1, diskGb: 60 });
    expect(readFileSync('docs/deploying.md', 'utf8')).toContain(`$${dollars.toFixed(2)} a month each`);
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

  it('refuses provisioned capacity', () => {
    const table = { Type: 'AWS::DynamoDB::Table', Properties: { ProvisionedThroughput: {} } };
    expect(() => idleBill([table])).toThrow('by the hour');
  });
});
