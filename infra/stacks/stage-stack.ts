import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { HttpStage, type HttpStageProps } from '../constructs/http-stage.js';

/**
 * The stage of the HTTP API, after the stacks of its routes: API Gateway takes a route's throttle
 * only once the route exists.
 */
export class StageStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { deploymentId, apiId, routes, ...props }: HttpStageProps & StackProps,
  ) {
    super(scope, id, props);
    new HttpStage(this, 'Http', { deploymentId, apiId, routes });
  }
}
