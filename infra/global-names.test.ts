import { expect, it } from 'vitest';
import { synthesise } from './testing.js';

/**
 * Resources whose names are unique in the whole account. Without the region in the name, a second
 * deployment with the same id in another region fails.
 */
const globalTypes = /^AWS::(?:CloudFront|IAM|Route53)::|^AWS::CloudWatch::Dashboard$/;
const nameProperty = /^(?:Name|DashboardName|RoleName|PolicyName|ManagedPolicyName|InstanceProfileName)$/;

/** Inline policies of a role and records of a zone: their names are unique within their owner. */
const notGlobal = ['AWS::IAM::Policy', 'AWS::Route53::RecordSet'];

function namesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    nameProperty.test(key) ? [inner] : key.endsWith('Config') ? namesIn(inner) : [],
  );
}

it('puts the region into each name that is unique in the account', () => {
  const { stacks } = synthesise();
  const names = [...stacks.values()]
    .flatMap((resources) => Object.values(resources))
    .filter(({ Type }) => globalTypes.test(Type) && !notGlobal.includes(Type))
    .flatMap(({ Type, Properties }) => namesIn(Properties).map((name) => ({ Type, name })));

  expect(new Set(names.map(({ Type }) => Type))).toEqual(
    new Set([
      'AWS::CloudFront::CachePolicy',
      'AWS::CloudFront::Function',
      'AWS::CloudFront::OriginAccessControl',
      'AWS::CloudFront::ResponseHeadersPolicy',
      'AWS::CloudWatch::Dashboard',
    ]),
  );
  for (const { Type, name } of names) expect(JSON.stringify(name), Type).toContain('{"Ref":"AWS::Region"}');
});
