import { Stack, Validations } from 'aws-cdk-lib';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { Construct } from 'constructs';

/** Acknowledges each wildcard resource of a policy to cdk-nag with its reason, one by one. */
export function acknowledgeWildcards(scope: Construct, resources: readonly string[], reason: string): void {
  for (const resource of resources) {
    const flat = flattenCfnReference(Stack.of(scope).resolve(resource));
    if (!flat.includes('*')) continue;
    Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${flat}]`, reason });
  }
}
