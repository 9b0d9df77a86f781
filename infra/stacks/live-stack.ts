import { Stack, type StackProps } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnEventInvokeConfig } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { alarm } from '../constructs/alarm.js';
import { LiveSocket } from '../constructs/live-socket.js';
import { kindLogGroup } from '../constructs/log-group.js';
import { PromptWorker } from '../constructs/prompt-worker.js';
import { PushWorker } from '../constructs/push-worker.js';
import { ServiceFunction } from '../constructs/service-function.js';
import { TableStream } from '../constructs/table-stream.js';
import { TimedOutExecutions } from '../constructs/timed-out-executions.js';
import type { FunctionCode } from '../function-code.js';
import { type FunctionGrant, type Granted, give } from '../grants.js';
import { sweepInterval, sweepTimeout } from '../limits.js';
import type { Settings } from '../settings.js';

const sweepGrants: readonly FunctionGrant[] = [
  'table:write',
  // The waiting machines.
  'ec2:run',
  'ec2:stop',
  'ec2:describe',
  'ec2:terminate',
  'dns:write',
  'saga:provision-workspace',
  'saga:stop-workspace',
  'saga:delete-workspace',
  'saga:sleep-workspace',
  'snapshots:delete',
  'content:delete',
  'saga:remove-node',
  'saga:run-task',
  'saga:end-run',
  'sagas:answer',
];

interface LiveStackProps extends StackProps {
  readonly settings: Settings;
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
}

/** What runs without a request: the live socket, the table's stream, the queues and the sweeps. */
export class LiveStack extends Stack {
  constructor(scope: Construct, id: string, props: LiveStackProps) {
    super(scope, id, props);
    const alarms = props.settings;
    const logGroup = kindLogGroup(this, 'Log');
    new LiveSocket(this, 'Socket', { ...props, logGroup });
    const pushes = new PushWorker(this, 'Push', { ...props, alarms, logGroup });
    new TableStream(this, 'Stream', { ...props, alarms, logGroup, pushes });
    new PromptWorker(this, 'Prompts', { ...props, logGroup });
    this.addSweep(props, logGroup);
    this.addAccessCheck(props, logGroup);
  }

  private addAccessCheck(
    { settings, granted, environment, code }: LiveStackProps,
    logGroup: ReturnType<typeof kindLogGroup>,
  ): void {
    const name = 'sweeps/recheck-access';
    const bundle = code(name);
    if (!bundle) return;
    const check = new ServiceFunction(this, 'AccessCheck', {
      name,
      code: bundle,
      timeout: sweepTimeout,
      logGroup,
      environment,
    });
    give(granted, check, ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app']);
    // A failed check is not repeated: the next one begins with the same people.
    new CfnEventInvokeConfig(this, 'AccessCheckOnce', {
      functionName: check.lambda.functionName,
      qualifier: '$LATEST',
      maximumRetryAttempts: 0,
    });
    new Rule(this, 'AccessChecks', {
      schedule: Schedule.rate(sweepInterval),
      targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
    });
    alarm(this, settings, {
      id: 'AccessCheck',
      summary: 'The sign-in policy check failed for 15 minutes: people who left keep their access',
      runbook: 'the-access-check-fails',
      metric: check.lambda.metricErrors({ statistic: Stats.SUM }),
      threshold: 1,
      periods: 3,
    });
  }

  private addSweep(
    { settings, granted, environment, code }: LiveStackProps,
    logGroup: ReturnType<typeof kindLogGroup>,
  ): void {
    const name = 'sweeps/reconcile';
    const bundle = code(name);
    if (!bundle) return;
    const sweep = new ServiceFunction(this, 'Reconcile', {
      name,
      code: bundle,
      timeout: sweepTimeout,
      logGroup,
      environment,
    });
    give(granted, sweep, sweepGrants);
    // A failed sweep is not repeated: the next one does the same work.
    new CfnEventInvokeConfig(this, 'ReconcileOnce', {
      functionName: sweep.lambda.functionName,
      qualifier: '$LATEST',
      maximumRetryAttempts: 0,
    });
    new Rule(this, 'EveryFiveMinutes', {
      schedule: Schedule.rate(sweepInterval),
      targets: [new LambdaFunction(sweep.lambda, { retryAttempts: 0 })],
    });
    new TimedOutExecutions(this, 'TimedOut', {
      sagas: [...granted.sagas.values()],
      sweep,
      alarms: settings,
    });
    alarm(this, settings, {
      id: 'Sweep',
      summary: 'The sweep failed for 15 minutes: stuck workspaces and idle nodes stay as they are',
      runbook: 'the-sweep-fails',
      metric: sweep.lambda.metricErrors({ statistic: Stats.SUM }),
      threshold: 1,
      periods: 3,
    });
  }
}
