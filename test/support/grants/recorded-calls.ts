import { readFileSync } from 'node:fs';
import { QueryRequest } from '../../../local/ec2/query-request.js';
import { ec2Checks } from './ec2-checks.js';
import { allowedBy, type Check, listOf, type Policy } from './evaluate-call.js';

type Line =
  | { readonly kind: 'function'; readonly app: string; readonly name: string; readonly policies: Policy[] }
  | ({ readonly kind: 'call'; readonly app: string } & Check)
  | { readonly kind: 'ec2'; readonly app: string; readonly parameters: string; readonly answer: string };

export interface Verdict {
  /** Distinct pairs of a function and an action that it called. */
  readonly calls: number;
  readonly functions: number;
  /** `lambdas/x.ts dynamodb:PutItem arn:…`: calls that no statement allows. */
  readonly denied: readonly string[];
  /** `lambdas/x.ts table:write`: grants of functions that ran which allowed no call. */
  readonly unused: readonly string[];
}

/** Compares each recorded call with the policies of the function's role. */
export function judge(file: string): Verdict {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const records = lines.map((line) => JSON.parse(line) as Line);
  const functions = new Map(records.flatMap((line) => (line.kind === 'function' ? [[line.app, line]] : [])));
  const denied = new Set<string>();
  const used = new Set<string>();
  const called = new Set<string>();
  for (const [app, check] of checksOf(records)) {
    const { name = app, policies = [] } = functions.get(app) ?? {};
    const grants = allowedBy(check, policies);
    called.add(`${name} ${check.action}`);
    if (grants.length === 0) denied.add(`${name} ${check.action} ${check.resource}`);
    for (const grant of grants) used.add(`${name} ${grantOf(grant)}`);
  }
  const granted = [...functions.values()].flatMap(grantsOf);
  return {
    calls: called.size,
    functions: functions.size,
    denied: [...denied].sort(),
    unused: [...new Set(granted)].filter((grant) => !used.has(grant)).sort(),
  };
}

function checksOf(records: readonly Line[]): (readonly [string, Check])[] {
  const tags = launchedTags(records);
  return records.flatMap((line) => {
    if (line.kind === 'call') return [[line.app, line] as const];
    if (line.kind === 'function') return [];
    return ec2Checks(line.parameters, (id) => tags.get(id) ?? {}).map((check) => [line.app, check] as const);
  });
}

/** The tags of each instance that was launched: `aws:ResourceTag` when it is terminated. */
function launchedTags(records: readonly Line[]): Map<string, Record<string, string>> {
  return new Map(
    records.flatMap((line) => {
      if (line.kind !== 'ec2') return [];
      const id = /<instanceId>(.*?)<\/instanceId>/.exec(line.answer)?.[1];
      const request = QueryRequest.parse(line.parameters);
      return id && request.action === 'RunInstances' ? [[id, request.instanceTags()] as const] : [];
    }),
  );
}

const grantsOf = ({ name, policies }: { readonly name: string; readonly policies: readonly Policy[] }) =>
  policies
    .flatMap(({ Statement }) => listOf(Statement))
    .flatMap(({ Action }) => listOf(Action))
    .filter((action) => !isOfService.test(action))
    .map((action) => `${name} ${grantOf(action)}`);

/** Lambda itself writes the logs and reads queues and streams: the SDK of a function does not. */
const isOfService =
  /^(logs:|sqs:(Receive|Delete|GetQueue)|dynamodb:(DescribeStream|GetRecords|GetShard|ListStreams))/;

/** The actions that infra/grants.ts gives together. */
const together: readonly (readonly [string, RegExp])[] = [
  ['table:read', /^dynamodb:(GetItem|BatchGetItem|Query)$/],
  ['table:write', /^dynamodb:(PutItem|UpdateItem|DeleteItem|BatchWriteItem|ConditionCheckItem)$/],
  ['saga:answer', /^states:SendTask/],
  ['key:encrypt', /^kms:(Encrypt|GenerateDataKey)$/],
  ['ec2:run', /^(ec2:RunInstances|ec2:CreateTags|iam:PassRole|ssm:GetParameters)$/],
];

const grantOf = (action: string): string =>
  together.find(([, actions]) => actions.test(action))?.[0] ?? action;
