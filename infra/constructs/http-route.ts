import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FallbackRoute, Route } from '../../lambdas/route-row.js';
import { integrationTimeoutOf } from '../limits.js';
import { arn, type ServiceFunction } from './service-function.js';

interface HttpRouteProps {
  readonly apiId: string;
  readonly route: Pick<Route | FallbackRoute, 'method' | 'path' | 'readsNode'>;
  readonly handler: ServiceFunction;
}

/**
 * A row of the route table in API Gateway: route, integration, and leave for that one route to
 * call.
 */
export class HttpRoute extends Construct {
  private readonly route: CfnRoute;
  private readonly integration: CfnIntegration;

  constructor(scope: Construct, id: string, { apiId, route, handler }: HttpRouteProps) {
    super(scope, id);
    const { functionArn } = handler.lambda;
    this.integration = new CfnIntegration(this, 'Integration', {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: functionArn,
      payloadFormatVersion: '2.0',
      timeoutInMillis: integrationTimeoutOf(route).toMilliseconds(),
    });
    this.route = new CfnRoute(this, 'Route', {
      apiId,
      routeKey: `${route.method} ${route.path}`,
      authorizationType: 'NONE',
      target: `integrations/${this.integration.ref}`,
    });
    new CfnPermission(this, 'Permission', {
      action: 'lambda:InvokeFunction',
      functionName: functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: arn('execute-api', `${apiId}/*/${callsOf(route)}`),
    });
  }

  /** CloudFormation makes this route only when the other one is there. */
  makeAfter(other: HttpRoute | undefined): void {
    if (other) this.integration.addResourceDependency(other.route);
  }
}

/** The ARN has `*` where the path has a variable, and where any method will do. */
function callsOf({ method, path }: HttpRouteProps['route']): string {
  return `${method === 'ANY' ? '*' : method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}
