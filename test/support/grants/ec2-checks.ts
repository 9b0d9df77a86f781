import { QueryRequest } from '../../../local/ec2/query-request.js';
import type { Check } from './evaluate-call.js';

const arnOf = (resource: string) => `arn:aws:ec2:us-east-1:000000000000:${resource}`;

/** The checks of IAM for a call of EC2: its resources, and the condition keys that it states. */
export function ec2Checks(
  parameters: string,
  tagsOf: (instanceId: string) => Readonly<Record<string, string>>,
): readonly Check[] {
  const request = QueryRequest.parse(parameters);
  const action = `ec2:${request.action}`;
  if (request.action === 'RunInstances') return runChecks(request);
  if (request.action.startsWith('Describe')) return [{ action, resource: '*', keys: {} }];
  return request.list('InstanceId').map((id) => ({
    action,
    resource: arnOf(`instance/${id}`),
    keys: keysOf('aws:ResourceTag', tagsOf(id)),
  }));
}

/** A launch is checked for all that it uses and creates, and for the tags that it sets. */
function runChecks(request: QueryRequest): readonly Check[] {
  const action = 'ec2:RunInstances';
  const template = arnOf(`launch-template/${request.get('LaunchTemplate.LaunchTemplateId')}`);
  const keys = { 'ec2:LaunchTemplate': template };
  const subnet = request.get('SubnetId') ?? request.get('NetworkInterface.1.SubnetId');
  const used = [arnOf('volume/*'), arnOf('network-interface/*'), arnOf(`subnet/${subnet}`)];
  const created = { 'ec2:CreateAction': 'RunInstances' };
  return [
    { action, resource: template, keys: {} },
    { action, resource: 'arn:aws:ec2:us-east-1::image/ami-1', keys },
    ...used.map((resource) => ({ action, resource, keys })),
    {
      action,
      resource: arnOf('instance/*'),
      keys: { ...keys, ...keysOf('aws:RequestTag', request.instanceTags()) },
    },
    { action: 'ec2:CreateTags', resource: arnOf('instance/*'), keys: created },
  ];
}

const keysOf = (prefix: string, tags: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`${prefix}/${key}`, value]));
