import { Aws, Validations } from 'aws-cdk-lib';
import { CfnAuthorizer, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionCode } from '../function-code.js';
import type { SocketFunction } from '../function-files.js';
import { type FunctionGrant, type Granted, give } from '../grants.js';
import { socketTimeout, throttle } from '../limits.js';
import { LiveApi } from './live-api.js';
import { arn, ServiceFunction } from './service-function.js';

interface LiveSocketProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
}

/** Replies are pushed to the connection, hence `live:push` wherever there is one. */
const grants: Record<SocketFunction, readonly FunctionGrant[]> = {
  authorize: ['table:read'],
  // It closes the oldest connection of a session that has too many.
  connect: ['table:write', 'live:push'],
  disconnect: ['table:write'],
  subscribe: ['table:write', 'live:push'],
  unsubscribe: ['table:write', 'live:push'],
  ping: ['table:write', 'live:push'],
};

/**
 * `ping` also answers what no route matches: with an error, so that a client learns of its mistake.
 */
const routeKeys: Record<Exclude<SocketFunction, 'authorize'>, readonly string[]> = {
  connect: ['$connect'],
  disconnect: ['$disconnect'],
  subscribe: ['subscribe'],
  unsubscribe: ['unsubscribe'],
  ping: ['ping', '$default'],
};

/** The routes of the WebSocket API. */
export class LiveSocket extends Construct {
  private readonly props: LiveSocketProps;
  private readonly apiId: string;
  private readonly routes: CfnRoute[] = [];

  constructor(scope: Construct, id: string, props: LiveSocketProps) {
    super(scope, id);
    this.props = props;
    this.apiId = props.granted.liveApi.apiId;
    const authorize = this.addFunction('authorize', 'authorizers/*');
    // Without its guard the socket has no way in at all.
    if (!authorize) return;
    props.granted.data.originSecret.grantVerify(authorize);
    const authorizerId = this.addAuthorizer(authorize);
    this.addRoutes('connect', authorizerId);
    this.addRoutes('disconnect');
    this.addRoutes('subscribe');
    this.addRoutes('unsubscribe');
    this.addRoutes('ping');
    this.addStage();
  }

  /** API Gateway refuses to deploy a WebSocket API that has no route yet: the stage comes last. */
  private addStage(): void {
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.apiId,
      stageName: LiveApi.stageName,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: throttle.rateLimit,
        throttlingBurstLimit: throttle.burstLimit,
      },
    });
    for (const route of this.routes) stage.addResourceDependency(route);
    Validations.of(stage).acknowledge({
      id: 'AwsSolutions-APIG1',
      reason: 'Access logs of a WebSocket API need an account-wide role; the functions log every connection.',
    });
  }

  private addAuthorizer(authorize: ServiceFunction): string {
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      apiId: this.apiId,
      name: 'session',
      authorizerType: 'REQUEST',
      authorizerUri: invocationUri(authorize),
      // Always there, so it is always the function that decides: a cookie's header has no one
      // spelling.
      identitySource: ['route.request.header.Host'],
    });
    return authorizer.ref;
  }

  private addRoutes(name: keyof typeof routeKeys, authorizerId?: string): void {
    const handler = this.addFunction(name, '*');
    if (!handler) return;
    const integration = new CfnIntegration(this, `${name}Integration`, {
      apiId: this.apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: invocationUri(handler),
    });
    for (const routeKey of routeKeys[name]) {
      const route = new CfnRoute(this, `${routeKey.replace('$', '')}Route`, {
        apiId: this.apiId,
        routeKey,
        target: `integrations/${integration.ref}`,
        ...(authorizerId ? { authorizationType: 'CUSTOM', authorizerId } : { authorizationType: 'NONE' }),
      });
      this.routes.push(route);
      if (authorizerId) continue;
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'Only $connect can carry an authorizer; a message belongs to a connection that passed it.',
      });
    }
  }

  private addFunction(name: SocketFunction, source: string): ServiceFunction | undefined {
    const { granted, environment, code, logGroup } = this.props;
    const file = `socket/${name}`;
    const bundle = code(file);
    if (!bundle) return undefined;
    const made = new ServiceFunction(this, name, {
      name: file,
      code: bundle,
      timeout: socketTimeout,
      logGroup,
      environment,
    });
    give(granted, made, grants[name]);
    new CfnPermission(this, `${name}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: made.lambda.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: arn('execute-api', `${this.apiId}/${source}`),
    });
    return made;
  }
}

function invocationUri({ lambda }: ServiceFunction): string {
  const path = `2015-03-31/functions/${lambda.functionArn}/invocations`;
  return `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${path}`;
}
