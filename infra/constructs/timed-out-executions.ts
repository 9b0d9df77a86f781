import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { type AlarmSettings, alarm } from './alarm.js';
import type { Saga } from './saga.js';
import type { ServiceFunction } from './service-function.js';

interface TimedOutExecutionsProps {
  readonly sagas: readonly Saga[];
  /** Ends or continues what the execution has left. */
  readonly sweep: ServiceFunction;
  readonly alarms: AlarmSettings;
}

/**
 * An execution that times out runs no undo, and its failure metric stays at zero: the sweep is
 * started at once. The alarm counts its starts by this rule: one alarm for all sagas, as each
 * alarm costs money.
 */
export class TimedOutExecutions extends Construct {
  constructor(scope: Construct, id: string, { sagas, sweep, alarms }: TimedOutExecutionsProps) {
    super(scope, id);
    const { ruleName } = new Rule(this, 'Rule', {
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: ['TIMED_OUT'], stateMachineArn: sagas.map(({ arn }) => arn) },
      },
      targets: [new LambdaFunction(sweep.lambda, { retryAttempts: 0 })],
    });
    alarm(this, alarms, {
      id: 'Timeout',
      summary: 'An execution of a saga timed out: its undo did not run',
      runbook: 'an-execution-timed-out',
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'Invocations',
        dimensionsMap: { RuleName: ruleName },
        statistic: Stats.SUM,
      }),
      threshold: 1,
    });
  }
}
