import { Aws, type Duration } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../acknowledge-wildcards.js';
import { functionMemoryMb } from '../limits.js';

export interface ServiceFunctionProps {
  /** As in `functionFiles`: `http/workspaces/create`. */
  readonly name: string;
  readonly code: Code;
  readonly timeout: Duration;
  /** Functions of one kind share a log group; the stream and every line name the function. */
  readonly logGroup: ILogGroup;
  readonly environment: Readonly<Record<string, string>>;
  /** Its share of the account's concurrency, which is also its ceiling. */
  readonly reservedConcurrency?: number | undefined;
  /**
   * It sends to a queue that invokes it, with an end of its own. Lambda otherwise stops the 17th
   * run of one trace and moves its message to the dead letters.
   */
  readonly isLoop?: boolean;
}

/**
 * A function with a role of its own. Grants become statements of one inline policy, so that a route
 * is 5 resources and its rights are read in one place.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  private readonly policy = new PolicyDocument({ minimize: true });

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { name, code, timeout, logGroup, environment, reservedConcurrency, isLoop } = props;
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Berth: lambdas/${name}.ts`,
      inlinePolicies: { grants: this.policy },
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      description: `lambdas/${name}.ts`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code,
      timeout,
      memorySize: functionMemoryMb,
      ...(reservedConcurrency ? { reservedConcurrentExecutions: reservedConcurrency } : {}),
      ...(isLoop ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      logGroup,
      ...logging(environment.LOG_LEVEL),
      role,
      environment: { ...environment, ...sourceMapsEnvironment, POWERTOOLS_SERVICE_NAME: name },
    });
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn);
  }

  /** A resource must be named: there is no default and no wildcard. */
  allow(actions: readonly string[], ...resources: readonly [string, ...string[]]): void {
    this.policy.addStatements(
      new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [...resources] }),
    );
  }

  /**
   * For resources that are born later and so have no name yet: a pattern, narrowed, with the reason
   * for it.
   */
  allowPattern({ actions, resources, conditions, because }: PatternStatement): void {
    this.policy.addStatements(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
        ...(conditions ? { conditions } : {}),
      }),
    );
    acknowledgeWildcards(this, resources, because);
  }

  setEnvironment(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.lambda.addEnvironment(name, value);
  }
}

/**
 * Node reads the map beside the bundle when an error's stack is first asked for: it then names our
 * files and lines.
 */
export const sourceMapsEnvironment = { NODE_OPTIONS: '--enable-source-maps' };

/**
 * Lambda's own start, end and report lines would double the cost of logs and repeat its metrics.
 * WARN keeps its lines on failures and timeouts.
 */
const logging = (level: string | undefined) => ({
  loggingFormat: LoggingFormat.JSON,
  systemLogLevelV2: SystemLogLevel.WARN,
  applicationLogLevelV2:
    Object.values(ApplicationLogLevel).find((each) => each === level) ?? ApplicationLogLevel.INFO,
});

interface PatternStatement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** A sentence: why this cannot be a name. */
  readonly because: string;
}

/** An ARN of this deployment's account and region. */
export function arn(service: string, resource: string): string {
  return `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;
}
