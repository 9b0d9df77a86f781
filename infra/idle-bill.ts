import type { Resource } from './testing.js';

/**
 * What a deployment costs in a month in which nobody works: US dollars, us-east-1 list prices of
 * 2026-11. A type that is not listed fails the computation, so that nothing billed by the hour
 * slips in unpriced.
 */
interface IdleBill {
  /** At list price, as if the account were full of other alarms and dashboards. */
  readonly list: number;
  /**
   * Less what AWS gives every account for nothing, always: 10 alarms, 3 dashboards and a million
   * requests of queues.
   */
  readonly expected: number;
  readonly lines: readonly BillLine[];
}

interface BillLine {
  readonly type: string;
  readonly count: number;
  readonly dollars: number;
}

/** A mapping of a queue to its function; those of streams are polled for nothing. */
const queuePoller = 'AWS::Lambda::EventSourceMapping of a queue';

/** Dollars a month for each resource that exists, used or not. */
const monthly: Readonly<Record<string, number>> = {
  'AWS::KMS::Key': 1,
  'AWS::SecretsManager::Secret': 0.4,
  'AWS::CloudWatch::Alarm': 0.1,
  'AWS::CloudWatch::Dashboard': 3,
  'AWS::Route53::HostedZone': 0.5,
  // Lambda asks a queue some 650,000 times a month, whether it has messages or not.
  [queuePoller]: 0.28,
};

const alwaysFree: Readonly<Record<string, number>> = {
  'AWS::CloudWatch::Alarm': 10,
  'AWS::CloudWatch::Dashboard': 3,
  // A million requests.
  [queuePoller]: 1.5,
};

/** Billed by request, by volume or not at all: nothing while idle. */
const freeWhileIdle: ReadonlySet<string> = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Authorizer',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudFront::CachePolicy',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::DynamoDB::Table',
  'AWS::EC2::InternetGateway',
  'AWS::EC2::LaunchTemplate',
  'AWS::EC2::Route',
  'AWS::EC2::RouteTable',
  'AWS::EC2::SecurityGroup',
  'AWS::EC2::Subnet',
  'AWS::EC2::SubnetRouteTableAssociation',
  'AWS::EC2::VPC',
  'AWS::EC2::VPCGatewayAttachment',
  // The sweeps: 8,640 and 43,200 runs a month, far inside what Lambda gives for nothing; $0.04 at
  // list price, with the query that each of the latter makes.
  'AWS::Events::Rule',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  // Lambda polls streams for nothing.
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Route53::RecordSet',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  // Standard parameters.
  'AWS::SSM::Parameter',
  'AWS::StepFunctions::StateMachine',
]);

/** Encrypted gp3, a gigabyte and month. */
const diskPrice = 0.08;

/** Dollars a month for machines that wait: stopped, they cost only their disk. */
export const waitingMachinesBill = ({
  count,
  diskGb,
}: {
  readonly count: number;
  readonly diskGb: number;
}): number => count * diskGb * diskPrice;

/** @throws {Error} for a resource type without a price */
export function idleBill(resources: readonly Resource[]): IdleBill {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    refuseHourly(resource);
    const type = kindOf(resource);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const lines = [...counts].flatMap(([type, count]) => priced(type, count));
  const list = total(lines);
  const free = lines.map(({ type, count, dollars }) => {
    const charged = Math.max(0, count - (alwaysFree[type] ?? 0));
    return { type, count: charged, dollars: (dollars / count) * charged };
  });
  return { list, expected: total(free), lines };
}

const kindOf = ({ Type, Properties }: Resource): string =>
  Type === 'AWS::Lambda::EventSourceMapping' && !Properties?.StartingPosition ? queuePoller : Type;

function priced(type: string, count: number): readonly BillLine[] {
  const price = monthly[type];
  if (price !== undefined) return [{ type, count, dollars: price * count }];
  if (freeWhileIdle.has(type)) return [];
  throw new Error(`${type} has no price: say in infra/idle-bill.ts what one costs in an idle month`);
}

/** Types that cost nothing idle may have a property that changes that. */
function refuseHourly({ Type, Properties }: Resource): void {
  const provisioned = Properties?.ProvisionedThroughput ?? Properties?.ProvisionedConcurrencyConfig;
  if (provisioned) throw new Error(`A ${Type} with provisioned capacity is billed by the hour`);
}

function total(lines: readonly BillLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}
