import { describe, expect, it } from 'vitest';
import type { Route } from '../lambdas/route-row.js';
import { fallback, routes } from '../lambdas/routes.js';
import { maxResourcesAStack } from './limits.js';
import { apiStackOf } from './stacks/api-stack.js';
import { endedRights, maxFilters } from './stream-filters.js';
import { synthesise } from './testing.js';

const deployment = synthesise();
interface Rule {
  readonly Prefix?: string;
  readonly ExpirationInDays?: number;
}

const properties = (type: string) => deployment.of(type).map(({ Properties }) => Properties ?? {});

describe('routes', () => {
  it('are those of the table', () => {
    const keys = properties('AWS::ApiGatewayV2::Route').map(({ RouteKey }) => String(RouteKey));
    const http = keys.filter((key) => key.includes(' '));
    const table = [...routes, fallback].map(({ method, path }) => `${method} ${path}`);
    expect(http.sort()).toEqual(table.sort());
  });

  it('that anybody may call have a lower throttle than those of nodes and signed-in people', () => {
    const stages = properties('AWS::ApiGatewayV2::Stage');
    const [stage = {}] = stages.filter(({ StageName }) => StageName === '$default');
    const anonymous = [...routes, fallback].filter(({ auth }) => ['public', 'own'].includes(auth.kind));
    const lower = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };

    expect(stage.DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 500 });
    expect(stage.RouteSettings).toEqual(
      Object.fromEntries(anonymous.map(({ method, path }) => [`${method} ${path}`, lower])),
    );
  });

  it('of the live socket have their guard where a connection is made', () => {
    const socket = properties('AWS::ApiGatewayV2::Route').filter(
      ({ RouteKey }) => !String(RouteKey).includes(' '),
    );
    expect(socket.map(({ RouteKey }) => RouteKey).sort()).toEqual(
      ['$connect', '$default', '$disconnect', 'ping', 'subscribe', 'unsubscribe'].sort(),
    );
    const guarded = socket.filter(({ AuthorizationType }) => AuthorizationType === 'CUSTOM');
    expect(guarded.map(({ RouteKey }) => RouteKey)).toEqual(['$connect']);
  });

  it('time out after their function, so that the function has the last word', () => {
    for (const { TimeoutInMillis } of properties('AWS::ApiGatewayV2::Integration')) {
      if (TimeoutInMillis !== undefined) expect(TimeoutInMillis).toBeGreaterThan(10_000);
    }
  });

  it('may each be called by their own path only', () => {
    for (const { SourceArn } of properties('AWS::Lambda::Permission')) expect(SourceArn).toBeDefined();
  });
});

describe('the number of routes', () => {
  const many = (count: number): readonly Route[] =>
    Array.from({ length: count }, (_, index) => ({
      method: 'POST',
      path: `/api/area-${index % 12}/{itemId}/action-${index}`,
      file: `area-${index % 12}/action-${index}`,
      auth: { kind: 'session' },
      grants: ['table:write', 'tokens:sign', 'secrets:open', 'codehost:app', 'saga:provision-workspace'],
    }));

  it.each([150, 200])('may grow to %i before a stack is full', (count) => {
    const { stacks } = synthesise({}, many(count));
    for (const [name, resources] of stacks) {
      expect(Object.keys(resources).length, name).toBeLessThanOrEqual(maxResourcesAStack);
    }
  });

  it('may grow without moving a route from one stack to another', () => {
    // Written down: a change of these numbers would make CloudFormation create a route that still
    // exists.
    const files = ['utility/health', 'workspaces/create', 'auth/callback', 'nodes/delete'] as const;
    expect(files.map((file) => apiStackOf({ file }))).toMatchInlineSnapshot(`
      [
        1,
        0,
        1,
        0,
      ]
    `);
  });
});

describe('data', () => {
  it('outlives its stack', () => {
    const kept = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret'];
    for (const type of kept) {
      for (const { DeletionPolicy, UpdateReplacePolicy, Properties } of deployment.of(type)) {
        // Such a secret protects no data; a new deployment makes new ones.
        const isReplaceable = String(Properties?.Name).includes('/origin/');
        expect(UpdateReplacePolicy, type).toBe(isReplaceable ? 'Delete' : 'Retain');
        // A first deployment that fails leaves nothing behind.
        expect(DeletionPolicy, type).toBe(isReplaceable ? 'Delete' : 'RetainExceptOnCreate');
      }
    }
  });

  it('is protected in a table that is created last: a rollback cannot delete it', () => {
    const data = deployment.stacks.get('berth-data') ?? {};
    const tableIds = Object.keys(data).filter((id) => data[id]?.Type === 'AWS::DynamoDB::Table');
    const others = Object.entries(data).filter(([, { Type }]) => /Key$|Bucket$|Secret$|Queue$/.test(Type));

    expect(tableIds).toHaveLength(1);
    for (const id of tableIds)
      expect(data[id]?.DependsOn).toEqual(expect.arrayContaining(others.map(([other]) => other)));
  });

  it('of a laptop or a test goes with its stack', () => {
    const passing = synthesise({ retainData: false });
    for (const type of ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::S3::Bucket']) {
      for (const { DeletionPolicy } of passing.of(type)) expect(DeletionPolicy, type).toBe('Delete');
    }
  });

  it('in the table is recoverable, streamed, expiring and paid by request', () => {
    expect(properties('AWS::DynamoDB::Table')).toEqual([
      expect.objectContaining({
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      }),
    ]);
  });

  it('of a snapshot outlives a sleep of seven days on a recovery point of seven days', () => {
    const rules = properties('AWS::S3::Bucket').flatMap(
      ({ LifecycleConfiguration }) => (LifecycleConfiguration as { Rules: Rule[] }).Rules,
    );
    const [snapshots] = rules.filter(({ Prefix }) => Prefix === 'snapshots/');

    expect(snapshots?.ExpirationInDays).toBeGreaterThan(14);
  });

  it('in buckets is encrypted, private and does not pile up', () => {
    expect(properties('AWS::S3::Bucket')).toHaveLength(3);
    for (const bucket of properties('AWS::S3::Bucket')) {
      expect(bucket.BucketEncryption).toBeDefined();
      expect(bucket.LifecycleConfiguration).toBeDefined();
      expect(bucket.PublicAccessBlockConfiguration).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
    }
  });

  it('in buckets is reached by pages only where addresses are signed', () => {
    const rules = properties('AWS::S3::Bucket').flatMap(({ CorsConfiguration }) => CorsConfiguration ?? []);
    expect(rules).toEqual([
      {
        CorsRules: [
          {
            AllowedMethods: ['GET', 'PUT'],
            AllowedOrigins: ['*'],
            AllowedHeaders: ['content-type'],
            MaxAge: 3600,
          },
        ],
      },
    ]);
  });

  it('is sealed by a key that rotates and signed for by Ed25519 keys', () => {
    const keys = properties('AWS::KMS::Key');
    expect(keys.filter(({ EnableKeyRotation }) => EnableKeyRotation === true)).toHaveLength(1);
    expect(keys.filter(({ KeySpec }) => KeySpec === 'ECC_NIST_EDWARDS25519')).toHaveLength(1);
  });

  it('in logs that services deliver has the prefix that needs no log policy of the account', () => {
    const groups = ['berth-stage', 'berth-sagas'].flatMap((stack) =>
      Object.values(deployment.stacks.get(stack) ?? {}).filter(
        ({ Type, Properties }) => Type === 'AWS::Logs::LogGroup' && Properties?.LogGroupName !== undefined,
      ),
    );
    expect(groups).toHaveLength(10);
    for (const { Properties } of groups) expect(Properties?.LogGroupName).toMatch(/^\/aws\/vendedlogs\//);
  });

  it('in logs is kept a month', () => {
    for (const { RetentionInDays } of properties('AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(30);
  });
});

describe('queues and consumers', () => {
  it('have somewhere for what cannot be handled', () => {
    const queues = properties('AWS::SQS::Queue');
    const working = queues.filter(({ RedrivePolicy }) => RedrivePolicy !== undefined);
    expect(working).toHaveLength(3);
    // Three dead-letter queues, and one of each consumer of the stream.
    expect(queues).toHaveLength(8);
    for (const queue of queues) expect(queue.SqsManagedSseEnabled).toBe(true);
    expect(working.filter(({ FifoQueue }) => FifoQueue === true)).toHaveLength(1);
  });

  it('of the stream repeat a bounded number of times, by halves, record by record', () => {
    const mappings = properties('AWS::Lambda::EventSourceMapping');
    const bounded = {
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: { Filters: expect.any(Array) },
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    };
    expect(mappings.filter(({ StartingPosition }) => StartingPosition !== undefined)).toEqual([
      expect.objectContaining({ ...bounded, MaximumRetryAttempts: 5, MaximumRecordAgeInSeconds: 600 }),
      expect.objectContaining({ ...bounded, MaximumRetryAttempts: 50, MaximumRecordAgeInSeconds: -1 }),
    ]);
  });

  it('of the stream are at most two, as AWS advises for the readers of a shard', () => {
    const mappings = properties('AWS::Lambda::EventSourceMapping');

    expect(mappings.filter(({ StartingPosition }) => StartingPosition !== undefined)).toHaveLength(2);
  });

  it('of ended rights are invoked for sessions, members and people only', () => {
    const [, endRights] = properties('AWS::Lambda::EventSourceMapping').filter(
      ({ StartingPosition }) => StartingPosition !== undefined,
    );

    const Filters = endedRights.map((pattern) => ({ Pattern: JSON.stringify(pattern) }));
    expect(endRights?.FilterCriteria).toEqual({ Filters });
  });

  it('of the stream have no more filters than AWS allows a mapping', () => {
    const criteria = properties('AWS::Lambda::EventSourceMapping').flatMap(({ FilterCriteria }) =>
      FilterCriteria ? [FilterCriteria as { readonly Filters: readonly unknown[] }] : [],
    );
    expect(criteria).toHaveLength(2);
    for (const { Filters } of criteria) expect(Filters.length).toBeLessThanOrEqual(maxFilters);
  });

  it('of the stream send visible changes to sockets and are not invoked for other changes', () => {
    const [live] = properties('AWS::Lambda::EventSourceMapping').filter(
      ({ MaximumRecordAgeInSeconds: age }) => age === 600,
    );
    const filters = JSON.stringify(live?.FilterCriteria);

    for (const entity of ['workspace', 'chat', 'prompt', 'task', 'message', 'boot-log', 'member'])
      expect(filters).toContain(`\\"${entity}\\"`);
    expect(filters).toContain('{\\"anything-but\\":[\\"delivering\\"]}');
    for (const entity of [
      'node',
      'session',
      'user',
      'agent-heartbeat',
      'subscription',
      'rate-window',
      'waiting-prompt',
    ])
      expect(filters).not.toContain(`\\"${entity}\\"`);
  });

  it('of prompts and push messages deliver one message per invocation, and report failed items', () => {
    const mappings = properties('AWS::Lambda::EventSourceMapping');
    const queues = mappings.filter(({ StartingPosition }) => StartingPosition === undefined);
    expect(queues).toHaveLength(3);
    for (const mapping of queues)
      expect(mapping).toMatchObject({ BatchSize: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] });
  });

  it('sweep and check access every five minutes, and resend lost wake-ups every minute', () => {
    const schedules = properties('AWS::Events::Rule').map(({ ScheduleExpression }) => ScheduleExpression);
    expect(schedules.filter(Boolean).sort()).toEqual([
      'rate(1 minute)',
      'rate(5 minutes)',
      'rate(5 minutes)',
    ]);
  });
});

describe('alarms', () => {
  it('each say what to do', () => {
    for (const { AlarmDescription } of properties('AWS::CloudWatch::Alarm')) {
      expect(AlarmDescription).toMatch(/docs\/runbook\.md#[a-z-]+/);
    }
  });

  it('watch the timed-out executions of every saga by one rule, which starts the sweep', () => {
    const [rule, ...others] = properties('AWS::Events::Rule').filter(({ EventPattern }) => EventPattern);
    const [watching] = properties('AWS::CloudWatch::Alarm').filter(
      ({ Namespace }) => Namespace === 'AWS/Events',
    );

    expect(others).toEqual([]);
    expect(rule).toMatchObject({
      EventPattern: { source: ['aws.states'], detail: { status: ['TIMED_OUT'] } },
      Targets: [{ Arn: { 'Fn::GetAtt': [expect.stringContaining('Reconcile'), 'Arn'] } }],
    });
    const machines = deployment.of('AWS::StepFunctions::StateMachine').length;
    expect(rule).toHaveProperty('EventPattern.detail.stateMachineArn.length', machines);
    expect(watching).toMatchObject({ MetricName: 'Invocations', Threshold: 1, Statistic: 'Sum' });
  });

  it('notify the operator’s topic if the setting names one', () => {
    const alarmTopicArn = 'arn:aws:sns:us-east-1:111111111111:alarms';
    for (const { Properties } of synthesise({ alarmTopicArn }).of('AWS::CloudWatch::Alarm')) {
      expect(Properties?.AlarmActions).toEqual([alarmTopicArn]);
    }
  });
});

describe('nodes', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly number[]]>([
    ['8443, and 80 for the challenge of their authority', {}, [8443, 80]],
    ['8443 alone if they order no certificates', { acmeDirectory: 'off' }, [8443]],
    ['8443 alone with a domain', { nodesDomain: 'nodes.example.com', nodesZoneId: 'Z1' }, [8443]],
  ])('are reachable on %s', (_, context, ports) => {
    const [group] = synthesise(context).of('AWS::EC2::SecurityGroup');
    expect(group?.Properties?.SecurityGroupIngress).toEqual(
      ports.map((port) => expect.objectContaining({ FromPort: port, ToPort: port, IpProtocol: 'tcp' })),
    );
  });

  it('keep their credentials from containers, and their disk encrypted', () => {
    const [template] = properties('AWS::EC2::LaunchTemplate');
    expect(template?.LaunchTemplateData).toMatchObject({
      InstanceInitiatedShutdownBehavior: 'terminate',
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
      BlockDeviceMappings: [{ Ebs: { Encrypted: true, VolumeType: 'gp3', DeleteOnTermination: true } }],
    });
  });

  it('may read release artefacts and nothing else', () => {
    const policies = JSON.stringify(
      deployment.of('AWS::IAM::Policy').map(({ Properties }) => Properties?.PolicyDocument),
    );
    expect(policies.match(/"Action":"[^"]+"/g)).toEqual(['"Action":"s3:GetObject"']);
  });

  it('need no NAT gateway and no interface endpoint', () => {
    for (const type of ['AWS::EC2::NatGateway', 'AWS::EC2::VPCEndpoint', 'AWS::EC2::EIP']) {
      expect(deployment.of(type), type).toEqual([]);
    }
  });
});

describe('the front', () => {
  const [distribution] = properties('AWS::CloudFront::Distribution');
  const config = JSON.stringify(distribution);

  it('sends every path of the route table to the API', () => {
    const patterns = [...config.matchAll(/"PathPattern":"([^"]+)"/g)].map(([, pattern]) => pattern ?? '');
    for (const { path } of routes) {
      expect(
        patterns.some((pattern) => matches(pattern, path)),
        path,
      ).toBe(true);
    }
  });

  it('proves itself to both APIs, by a reference to the first generation of the secret', () => {
    const rotating = synthesise({ originSecretGenerations: [2, 1] });
    const headers = JSON.stringify(rotating.of('AWS::CloudFront::Distribution')).match(
      /"HeaderName":"x-svc-origin-secret","HeaderValue":"[^"]+"/g,
    );
    const accepted = '{{resolve:secretsmanager:berth/origin/2:SecretString:::}}';

    expect(headers).toEqual(Array(2).fill(expect.stringContaining(accepted)));
    expect(rotating.of('AWS::SSM::Parameter')).toContainEqual(
      expect.objectContaining({
        DependsOn: [expect.stringContaining('Generation1'), expect.stringContaining('Generation2')],
        Properties: expect.objectContaining({
          Name: '/berth/origin/accepted',
          Value: `${accepted},${accepted.replace('/2', '/1')}`,
        }),
      }),
    );
    expect(rotating.of('AWS::SecretsManager::Secret').map(({ Properties }) => Properties?.Name)).toEqual(
      expect.arrayContaining(['berth/origin/1', 'berth/origin/2']),
    );
  });

  it('asks for HTTPS everywhere', () => {
    expect(config).not.toContain('allow-all');
  });

  it('takes its own domain, certificate and records when given', () => {
    const own = synthesise({
      domainName: 'berth.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/1',
      hostedZoneId: 'Z1',
      hostedZoneName: 'example.com',
    });
    expect(own.of('AWS::Route53::RecordSet')).toHaveLength(2);
    expect(JSON.stringify(own.of('AWS::CloudFront::Distribution'))).toContain('berth.example.com');
    expect(JSON.stringify(own.of('AWS::Lambda::Function'))).toContain(
      '"PUBLIC_URL":"https://berth.example.com"',
    );
    // Running nodes and agents have tokens of this issuer, with and without the domain.
    const issuers = (of: typeof own) =>
      new Set(
        of
          .of('AWS::Lambda::Function')
          .map(({ Properties }) => /"TOKEN_ISSUER":({[^}]*}|"[^"]*")/.exec(JSON.stringify(Properties))?.[1]),
      );
    expect(issuers(own).size).toBe(1);
    expect([...issuers(own)][0]).toContain('FrontDoor');
    expect(issuers(own)).toEqual(issuers(synthesise({})));
  });
});

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
