import { Aws, Stack } from 'aws-cdk-lib';
import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
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
      because: 'A connection id is assigned when a client connects.',
    });
    to.setEnvironment({ LIVE_ENDPOINT: this.endpoint });
  }
}
