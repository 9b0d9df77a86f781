import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface AlarmSettings {
  readonly deploymentId: string;
  readonly alarmTopicArn?: string | undefined;
}

interface AlarmProps {
  readonly id: string;
  /** First sentence of the description: the state, and its effect on people. */
  readonly summary: string;
  /** Heading of docs/runbook.md. */
  readonly runbook: string;
  readonly metric: Metric;
  readonly threshold: number;
  /**
   * Consecutive 5-minute periods over the threshold. More than 1 where a single spike is harmless.
   */
  readonly periods?: number;
}

/**
 * An alarm whose description names its runbook entry. Missing data means no traffic, not a fault.
 */
export function alarm(scope: Construct, settings: AlarmSettings, props: AlarmProps): Alarm {
  const made = new Alarm(scope, `${props.id}Alarm`, {
    alarmDescription: `${props.summary}. What to do: docs/runbook.md#${props.runbook} (${settings.deploymentId})`,
    metric: props.metric.with({ period: Duration.minutes(5) }),
    threshold: props.threshold,
    evaluationPeriods: props.periods ?? 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  if (settings.alarmTopicArn) {
    made.addAlarmAction(new SnsAction(Topic.fromTopicArn(made, 'Topic', settings.alarmTopicArn)));
  }
  return made;
}
