import { createHash } from 'node:crypto';
import { Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { FallbackRoute, Route } from '../../lambdas/route-row.js';
import { HttpRoute } from '../constructs/http-route.js';
import { kindLogGroup } from '../constructs/log-group.js';
import { ServiceFunction } from '../constructs/service-function.js';
import type { FunctionCode } from '../function-code.js';
import { type Granted, give } from '../grants.js';
import { timeoutOf } from '../limits.js';

interface ApiStackProps extends StackProps {
  readonly routes: readonly (Route | FallbackRoute)[];
  readonly apiId: string;
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly nodeReadConcurrency: number | undefined;
}

/**
 * A route is 5 resources (function, role, integration, route, permission), so 3 stacks hold 250 of
 * them far below CloudFormation's 500 each. The number never changes: a route that moved to another
 * stack would be created there before it is gone here, and its key is taken.
 */
export const apiStackCount = 3;

/** Which stack a route is in follows from its file alone, so adding routes moves none. */
export function apiStackOf({ file }: Pick<Route, 'file'>): number {
  return createHash('sha256').update(file).digest().readUInt32BE(0) % apiStackCount;
}

/**
 * How many routes CloudFormation makes at the same time. API Gateway allows an account ten
 * management calls a second, and each route takes two.
 */
const lanes = 10;

/** The functions of one share of the route table. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const logGroup = kindLogGroup(this, 'RouteLog');
    const made: HttpRoute[] = [];
    for (const route of props.routes) {
      const name = `http/${route.file}`;
      const code = props.code(name);
      if (!code) continue;
      const handler = new ServiceFunction(this, pascal(route.file), {
        name,
        code,
        timeout: timeoutOf(route),
        reservedConcurrency: route.readsNode && props.nodeReadConcurrency,
        logGroup,
        environment: { ...props.environment, ROUTE: JSON.stringify(rowOf(route)) },
      });
      props.granted.data.originSecret.grantVerify(handler);
      give(props.granted, handler, route.grants);
      if (route.limit) give(props.granted, handler, ['limits:count']);
      made.push(new HttpRoute(this, `${pascal(route.file)}Route`, { apiId: props.apiId, route, handler }));
    }
    for (const [index, route] of made.slice(lanes).entries()) route.makeAfter(made[index]);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: 'Each function checks identity by its own row of the route table: docs/decisions/0001.',
    });
  }
}

/** The row that a function gets in its environment. Grants become IAM policy instead. */
function rowOf({ grants: _grants, ...row }: Route | FallbackRoute) {
  return row;
}

function pascal(file: string): string {
  return file.replace(/(?:^|[/-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
