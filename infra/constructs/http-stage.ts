import { RemovalPolicy } from 'aws-cdk-lib';
import { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FallbackRoute, Route } from '../../lambdas/route-row.js';
import { fallback } from '../../lambdas/routes.js';
import { anonymousThrottle, logRetention, throttle } from '../limits.js';

/** Paths only, no query: the code host's callback carries a code there. */
const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  path: '$context.path',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
});

export interface HttpStageProps {
  readonly deploymentId: string;
  readonly apiId: string;
  readonly routes: readonly Route[];
}

/**
 * What API Gateway lets through: everybody's throttle, and a lower one for each route that anybody
 * may call.
 */
export class HttpStage extends Construct {
  constructor(scope: Construct, id: string, { deploymentId, apiId, routes }: HttpStageProps) {
    super(scope, id);
    const accessLog = new LogGroup(this, 'AccessLog', {
      // Under this prefix the service may write without growing the account's one log policy.
      logGroupName: `/aws/vendedlogs/apigateway/${deploymentId}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new CfnStage(this, 'Stage', {
      apiId,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: accessLog.logGroupArn,
        format: accessLogFormat,
      },
      defaultRouteSettings: {
        throttlingRateLimit: throttle.rateLimit,
        throttlingBurstLimit: throttle.burstLimit,
        detailedMetricsEnabled: false,
      },
      // CloudFormation passes this object on as it is: the names are those of the API, not of CDK.
      routeSettings: Object.fromEntries(
        [...routes, fallback].filter(isAnonymous).map((route) => [
          `${route.method} ${route.path}`,
          {
            ThrottlingRateLimit: anonymousThrottle.rateLimit,
            ThrottlingBurstLimit: anonymousThrottle.burstLimit,
          },
        ]),
      ),
    });
  }
}

/** Anybody may call it, or whoever brings a proof that the handler itself checks. */
const isAnonymous = ({ auth }: Route | FallbackRoute): boolean =>
  auth.kind === 'public' || auth.kind === 'own';
