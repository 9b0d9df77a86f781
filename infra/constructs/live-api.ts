import { Aws, Stack, Validations } from 'aws-cdk-lib';
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { throttle } from '../limits.js';
import { arn, type ServiceFunction } from './service-function.js';

/** The WebSocket API of live updates; CloudFront's path `/live` is its stage. */
export class LiveApi extends Construct {
  static readonly stageName = 'live';
  readonly apiId: string;
  readonly endpoint: string;

  constructor(scope: Construct, id: string, props: { name: string; endpointTemplate: string | undefined }) {
    super(scope, id);
    const api = new CfnApi(this, 'Api', {
      name: props.name,
      protocolType: 'WEBSOCKET',
      routeSelectionExpression: '$request.body.action',
    });
    this.apiId = api.ref;
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.apiId,
      stageName: LiveApi.stageName,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: throttle.rateLimit,
        throttlingBurstLimit: throttle.burstLimit,
      },
    });
    Validations.of(stage).acknowledge({
      id: 'AwsSolutions-APIG1',
      reason: 'Access logs of a WebSocket API need an account-wide role; the functions log every connection.',
    });
    const cloud = `https://{apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${LiveApi.stageName}`;
    this.endpoint = (props.endpointTemplate ?? cloud).replace('{apiId}', this.apiId);
  }

  /** Push to connections, and end those whose session ended. */
  grantPush(to: ServiceFunction): void {
    const connections = `${Stack.of(this).exportValue(this.apiId)}/${LiveApi.stageName}`;
    to.allowPattern({
      actions: ['execute-api:ManageConnections'],
      resources: ['POST', 'DELETE'].map((method) =>
        arn('execute-api', `${connections}/${method}/@connections/*`),
      ),
      because: 'A connection gets its id when a client connects.',
    });
    to.setEnvironment({ LIVE_ENDPOINT: this.endpoint });
  }
}
