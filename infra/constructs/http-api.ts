import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { throttle } from '../limits.js';
import { kindLogGroup } from './log-group.js';

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

/** The HTTP API without its routes: those come in stacks of their own. */
export class HttpApi extends Construct {
  readonly apiId: string;

  constructor(scope: Construct, id: string, { name }: { name: string }) {
    super(scope, id);
    const api = new CfnApi(this, 'Api', { name, protocolType: 'HTTP' });
    this.apiId = api.ref;
    new CfnStage(this, 'Stage', {
      apiId: this.apiId,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: kindLogGroup(this, 'AccessLog').logGroupArn,
        format: accessLogFormat,
      },
      defaultRouteSettings: {
        throttlingRateLimit: throttle.rateLimit,
        throttlingBurstLimit: throttle.burstLimit,
        detailedMetricsEnabled: false,
      },
    });
  }
}
