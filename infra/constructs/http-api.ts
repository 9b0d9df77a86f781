import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';

/** The HTTP API without its routes and its stage: those come in stacks of their own. */
export class HttpApi extends Construct {
  readonly apiId: string;

  constructor(scope: Construct, id: string, { name }: { name: string }) {
    super(scope, id);
    this.apiId = new CfnApi(this, 'Api', { name, protocolType: 'HTTP' }).ref;
  }
}
