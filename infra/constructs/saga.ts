import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Saga as SagaName } from '../../lambdas/sagas/steps.js';
import { logRetention } from '../limits.js';
import { fillDefinition } from '../saga-definition.js';
import type { ServiceFunction } from './service-function.js';

export interface SagaProps {
  readonly name: SagaName;
  readonly deploymentId: string;
  readonly definition: unknown;
  /** Step functions by the PascalCase name that the definition uses. */
  readonly steps: ReadonlyMap<string, ServiceFunction>;
  readonly numbers: Readonly<Record<string, number>>;
}

/** One state machine, which may call its own steps and nothing else. */
export class Saga extends Construct {
  readonly arn: string;
  private readonly environmentName: string;

  constructor(scope: Construct, id: string, props: SagaProps) {
    super(scope, id);
    const stepArns = new Map([...props.steps].map(([name, { lambda }]) => [name, lambda.functionArn]));
    const definition = fillDefinition(props.definition, { arns: stepArns, numbers: props.numbers });
    const logs = new LogGroup(this, 'Log', {
      // Under this prefix the service may write without growing the account's one log policy.
      logGroupName: `/aws/vendedlogs/states/${props.deploymentId}-${props.name}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const machine = new CfnStateMachine(this, 'StateMachine', {
      stateMachineType: 'STANDARD',
      definitionString: Stack.of(this).toJsonString(definition),
      roleArn: machineRole(this, [...stepArns.values()]).roleArn,
      tracingConfiguration: { enabled: false },
      loggingConfiguration: {
        level: 'ERROR',
        // Inputs and results name people's repositories and carry task tokens.
        includeExecutionData: false,
        destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logs.logGroupArn } }],
      },
    });
    this.arn = machine.ref;
    this.environmentName = `${props.name.replaceAll('-', '_').toUpperCase()}_ARN`;
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

function machineRole(scope: Construct, stepArns: readonly string[]): Role {
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
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [...stepArns] }),
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
  return role;
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
