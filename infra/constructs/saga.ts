import { ArnFormat, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type SagaName, sagaArnVariable } from '../../lambdas/saga-names.js';
import { acknowledgeWildcards } from '../acknowledge-wildcards.js';
import { logRetention } from '../limits.js';
import { fillDefinition, stateName } from '../saga-definition.js';
import type { ServiceFunction } from './service-function.js';

interface SagaProps {
  readonly name: SagaName;
  readonly deploymentId: string;
  readonly definition: unknown;
  /** Step functions by the PascalCase name that the definition uses. */
  readonly steps: ReadonlyMap<string, ServiceFunction>;
  readonly numbers: Readonly<Record<string, number>>;
  /**
   * Sagas that were made before; the definition may run one as a part of its own, named
   * `<PascalCase name>Saga`.
   */
  readonly parts: ReadonlyMap<SagaName, Saga>;
}

/**
 * One state machine, which may call its own steps, run the sagas that it names, and nothing else.
 */
export class Saga extends Construct {
  readonly arn: string;
  private readonly environmentName: string;

  constructor(scope: Construct, id: string, props: SagaProps) {
    super(scope, id);
    const stepArns = new Map([...props.steps].map(([name, { lambda }]) => [name, lambda.functionArn]));
    const { parts, arns: partArns } = namedParts(props);
    const arns = new Map([...stepArns, ...partArns]);
    const definition = fillDefinition(props.definition, { arns, numbers: props.numbers });
    const logs = new LogGroup(this, 'Log', {
      // Under this prefix the service may write without growing the account's one log policy.
      logGroupName: `/aws/vendedlogs/states/${props.deploymentId}-${props.name}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const machine = new CfnStateMachine(this, 'StateMachine', {
      stateMachineType: 'STANDARD',
      definitionString: Stack.of(this).toJsonString(definition),
      roleArn: machineRole(this, { steps: [...stepArns.values()], parts }).roleArn,
      tracingConfiguration: { enabled: false },
      loggingConfiguration: {
        level: 'ERROR',
        // Inputs and results name people's repositories and carry task tokens.
        includeExecutionData: false,
        destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logs.logGroupArn } }],
      },
    });
    this.arn = machine.ref;
    this.environmentName = sagaArnVariable(props.name);
    acknowledge(machine);
  }

  grantStart(to: ServiceFunction): void {
    to.allow(['states:StartExecution'], this.arn);
    to.setEnvironment({ [this.environmentName]: this.arn });
  }

  grantAnswer(to: ServiceFunction): void {
    to.allow(['states:SendTaskSuccess', 'states:SendTaskFailure', 'states:SendTaskHeartbeat'], this.arn);
  }

  failures(): Metric {
    return new Metric({
      namespace: 'AWS/States',
      metricName: 'ExecutionsFailed',
      dimensionsMap: { StateMachineArn: this.arn },
      statistic: Stats.SUM,
    });
  }
}

/** Those of the sagas made before that the definition names. */
function namedParts({ definition, parts }: Pick<SagaProps, 'definition' | 'parts'>) {
  const text = JSON.stringify(definition);
  const named = [...parts].flatMap(([name, saga]) => {
    const placeholder = `${stateName(name)}Saga`;
    return text.includes(`"\${${placeholder}}"`) ? [[placeholder, saga.arn] as const] : [];
  });
  return { parts: named.map(([, arn]) => arn), arns: named };
}

function machineRole(
  scope: Construct,
  { steps, parts }: { readonly steps: readonly string[]; readonly parts: readonly string[] },
): Role {
  const logDelivery = [
    'logs:CreateLogDelivery',
    'logs:GetLogDelivery',
    'logs:UpdateLogDelivery',
    'logs:DeleteLogDelivery',
    'logs:ListLogDeliveries',
    'logs:PutResourcePolicy',
    'logs:DescribeResourcePolicies',
    'logs:DescribeLogGroups',
  ];
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    inlinePolicies: {
      steps: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...steps] }),
          ...parts.flatMap((arn) => runningPart(scope, arn)),
          new PolicyStatement({ actions: logDelivery, resources: ['*'] }),
        ],
      }),
    },
  });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'Log delivery of Step Functions knows no resource-level permission; the statement has log actions only.',
  });
  acknowledgeWildcards(
    role,
    parts.map((arn) => executionsOf(scope, arn)),
    'An execution of the part has its name only when it is started; no other machine is named like it.',
  );
  return role;
}

function executionsOf(scope: Construct, arn: string): string {
  const stack = Stack.of(scope);
  return stack.formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${stack.splitArn(arn, ArnFormat.COLON_RESOURCE_NAME).resourceName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

/** Step Functions requires these to run a nested machine: start, describe, and an event rule. */
function runningPart(scope: Construct, arn: string): PolicyStatement[] {
  const rule = Stack.of(scope).formatArn({
    service: 'events',
    resource: 'rule',
    resourceName: 'StepFunctionsGetEventsForStepFunctionsExecutionRule',
  });
  return [
    new PolicyStatement({ actions: ['states:StartExecution'], resources: [arn] }),
    new PolicyStatement({
      actions: ['states:DescribeExecution', 'states:StopExecution'],
      resources: [executionsOf(scope, arn)],
    }),
    new PolicyStatement({
      actions: ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
      resources: [rule],
    }),
  ];
}

function acknowledge(machine: CfnStateMachine): void {
  Validations.of(machine).acknowledge(
    {
      id: 'AwsSolutions-SF1',
      reason:
        'Errors are logged; every event of every execution would be paid twice, the history keeps it 90 days.',
    },
    { id: 'AwsSolutions-SF2', reason: 'No tracer by default: it costs cold start and money (design 2).' },
  );
}
