import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logRetention } from '../limits.js';

/**
 * Functions of one kind write to one group: a search over all routes is one query, and a route
 * costs no group.
 */
export function kindLogGroup(scope: Construct, id: string): LogGroup {
  return new LogGroup(scope, id, { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
}
