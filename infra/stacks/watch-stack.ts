import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import {
  Dashboard,
  type DashboardProps,
  GraphWidget,
  type IWidget,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { alarm } from '../constructs/alarm.js';
import type { Saga } from '../constructs/saga.js';
import type { Settings } from '../settings.js';
import type { DataStack } from './data-stack.js';

interface WatchStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly httpApiId: string;
  readonly sagas: readonly Saga[];
}

/**
 * One page to look at. Alarms stand where their resource is made; only those of the whole API are
 * here.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, props: WatchStackProps) {
    super(scope, id, props);
    const { settings, httpApiId } = props;
    const failures = apiMetric(httpApiId, '5xx', Stats.SUM);
    alarm(this, settings, {
      id: 'ApiFailures',
      summary: 'Ten requests failed with a 5xx status within 5 minutes',
      runbook: 'the-api-fails',
      metric: failures,
      threshold: 10,
    });
    const { dashboardName } = new Dashboard(this, 'Dashboard', {
      // Dashboards of all regions share their names.
      dashboardName: `${settings.deploymentId}-${this.region}`,
      widgets: widgets(props, failures),
    } satisfies DashboardProps);
    const console = `https://console.aws.amazon.com/cloudwatch/home?region=${this.region}`;
    new CfnOutput(this, 'DashboardUrl', { value: `${console}#dashboards:name=${dashboardName}` });
  }
}

function widgets({ settings, httpApiId, data, sagas }: WatchStackProps, failures: Metric): IWidget[][] {
  return [
    [
      new TextWidget({
        markdown: `# Berth ${settings.deploymentId}\nWhat each alarm means and what to do: docs/runbook.md`,
        width: 24,
        height: 2,
      }),
    ],
    [
      graph('Requests', [
        apiMetric(httpApiId, 'Count', Stats.SUM),
        apiMetric(httpApiId, '4xx', Stats.SUM),
        failures,
      ]),
      graph('Latency', [
        apiMetric(httpApiId, 'Latency', Stats.p(50)),
        apiMetric(httpApiId, 'Latency', Stats.p(99)),
      ]),
    ],
    [
      graph(
        'Failed sagas',
        sagas.map((saga) => saga.failures()),
      ),
      graph(
        'Dead letters',
        data.wakeUpQueues.queues.map(({ deadLetters }) =>
          deadLetters.metricApproximateNumberOfMessagesVisible(),
        ),
      ),
      graph('Table', [
        data.table.table.metricConsumedReadCapacityUnits(),
        data.table.table.metricConsumedWriteCapacityUnits(),
      ]),
    ],
  ];
}

function graph(title: string, left: Metric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}

function apiMetric(apiId: string, metricName: string, statistic: string): Metric {
  return new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiId: apiId }, statistic });
}
