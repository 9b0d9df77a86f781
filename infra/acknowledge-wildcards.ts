import { Stack, Validations } from 'aws-cdk-lib';
import { flattenCfnReference } from 'cdk-nag/lib/utils/flatten-cfn-reference.js';
import type { Construct } from 'constructs';

/**
 * Tells cdk-nag why a policy's resource is a pattern, each resource by itself: no blanket
 * suppression exists.
 */
export function acknowledgeWildcards(scope: Construct, resources: readonly string[], reason: string): void {
  for (const resource of resources) {
    const flat = flattenCfnReference(Stack.of(scope).resolve(resource));
    if (!flat.includes('*')) continue;
    Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${flat}]`, reason });
  }
}
