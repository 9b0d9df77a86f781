import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionCode } from '../function-code.js';
import { type FunctionGrant, type Granted, give } from '../grants.js';
import { deliveryTimeout, wakeUpSweepInterval, wakeUpSweepTimeout } from '../limits.js';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.js';

interface PromptWorkerProps {
  readonly granted: Granted;
  readonly environment: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly logGroup: ILogGroup;
}

/** Delivers prompts on wake-ups, resends lost wake-ups, and ends waits at their deadline. */
export class PromptWorker extends Construct {
  constructor(scope: Construct, id: string, props: PromptWorkerProps) {
    super(scope, id);
    const worker = this.function(props, {
      id: 'Deliver',
      name: 'queues/deliver-prompts',
      timeout: deliveryTimeout,
      isLoop: true,
      grants: [
        'table:write',
        'tokens:sign',
        'secrets:open',
        'prompts:wake-up',
        'saga:end-run',
        'saga:provision-workspace',
      ],
    });
    if (worker) props.granted.data.wakeUpQueues.consumeBy(worker);
    const sweep = this.function(props, {
      id: 'ResendWakeUps',
      name: 'sweeps/resend-wake-ups',
      timeout: wakeUpSweepTimeout,
      grants: ['table:write', 'prompts:wake-up'],
    });
    if (!sweep) return;
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(wakeUpSweepInterval),
      targets: [new LambdaFunction(sweep.lambda, { retryAttempts: 0 })],
    });
  }

  private function(
    { code, granted, environment, logGroup }: PromptWorkerProps,
    made: Pick<ServiceFunctionProps, 'name' | 'timeout' | 'isLoop'> & {
      id: string;
      grants: readonly FunctionGrant[];
    },
  ): ServiceFunction | undefined {
    const { id, grants, ...own } = made;
    const bundle = code(own.name);
    if (!bundle) return undefined;
    const to = new ServiceFunction(this, id, { ...own, code: bundle, logGroup, environment });
    give(granted, to, grants);
    return to;
  }
}
