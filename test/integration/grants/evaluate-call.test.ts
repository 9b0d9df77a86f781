import { expect, it } from 'vitest';
import { ec2Checks } from '../../support/grants/ec2-checks.js';
import { allowedBy, type Statement } from '../../support/grants/evaluate-call.js';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/berth';
const rateLimits: Statement = {
  Effect: 'Allow',
  Action: ['dynamodb:UpdateItem'],
  Resource: table,
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['RATE#*'] } },
};
const update = (pk: string, resource = table) => ({
  action: 'dynamodb:UpdateItem',
  resource,
  keys: { 'dynamodb:LeadingKeys': [pk] },
});

it('a call is allowed on its resource only, and under its condition only', () => {
  const allowed = (...call: Parameters<typeof update>) =>
    allowedBy(update(...call), [{ Statement: rateLimits }]);

  expect(allowed('RATE#SIGN_IN#1')).toEqual(['dynamodb:UpdateItem']);
  expect(allowed('USER#1')).toEqual([]);
  expect(allowed('RATE#SIGN_IN#1', `${table}-other`)).toEqual([]);
});

it('a deny takes precedence', () => {
  const Statement = [rateLimits, { Effect: 'Deny', Action: 'dynamodb:*', Resource: '*' }] as const;

  expect(allowedBy(update('RATE#1'), [{ Statement }])).toEqual([]);
});

it('an operator that is not known is an error, not a yes', () => {
  const Statement: Statement = { ...rateLimits, Condition: { NotIpAddress: { 'aws:SourceIp': '10.0.0.1' } } };

  expect(() => allowedBy(update('RATE#1'), [{ Statement }])).toThrow('NotIpAddress');
});

it('only an instance with the tag of the deployment is terminated', () => {
  const Statement: Statement = {
    Effect: 'Allow',
    Action: 'ec2:TerminateInstances',
    Resource: 'arn:aws:ec2:us-east-1:000000000000:instance/*',
    Condition: { StringEquals: { 'aws:ResourceTag/berth:stack': 'berth' } },
  };
  const terminate = (stack: string) =>
    ec2Checks('Action=TerminateInstances&InstanceId.1=i-1', () => ({ 'berth:stack': stack })).map((check) =>
      allowedBy(check, [{ Statement }]),
    );

  expect([terminate('berth'), terminate('other')]).toEqual([[['ec2:TerminateInstances']], [[]]]);
});
