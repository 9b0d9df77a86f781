import { type InstanceRecord, type InstanceState, instanceStates } from './instance-record.js';

const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
const requestId = '00000000-0000-4000-8000-000000000000';

const escapeXml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const element = (name: string, content: string) => `<${name}>${content}</${name}>`;
const text = (name: string, content: string) => element(name, escapeXml(content));
const state = (name: string, value: InstanceState) =>
  element(name, text('code', String(instanceStates[value])) + text('name', value));

export function reservationItem(record: InstanceRecord): string {
  return element('item', reservation(record));
}

function reservation(record: InstanceRecord): string {
  return (
    text('reservationId', record.instanceId.replace('i-', 'r-')) +
    text('ownerId', '000000000000') +
    element('groupSet', '') +
    element('instancesSet', element('item', instance(record)))
  );
}

function instance(record: InstanceRecord): string {
  const hasAddress = record.state === 'running' || record.state === 'pending';
  const tags = Object.entries(record.tags).map(([key, value]) =>
    element('item', text('key', key) + text('value', value)),
  );
  return (
    text('instanceId', record.instanceId) +
    text('imageId', record.imageId) +
    state('instanceState', record.state) +
    text('privateDnsName', '') +
    text('dnsName', hasAddress ? 'localhost' : '') +
    (record.stateReason ? text('reason', record.stateReason) : '') +
    text('amiLaunchIndex', '0') +
    text('instanceType', record.instanceType) +
    text('launchTime', record.launchTime) +
    element('placement', text('availabilityZone', 'us-east-1a') + text('tenancy', 'default')) +
    text('subnetId', record.subnetId) +
    (hasAddress ? text('privateIpAddress', '127.0.0.1') + text('ipAddress', '127.0.0.1') : '') +
    text('architecture', process.arch === 'arm64' ? 'arm64' : 'x86_64') +
    text('clientToken', record.clientToken) +
    element('tagSet', tags.join(''))
  );
}

const response = (name: string, content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${namespace}">${text('requestId', requestId)}${content}</${name}>`;

export const runInstancesResponse = (record: InstanceRecord) =>
  response('RunInstancesResponse', reservation(record));

export const describeInstancesResponse = (records: readonly InstanceRecord[]) =>
  response('DescribeInstancesResponse', element('reservationSet', records.map(reservationItem).join('')));

export interface StateChange {
  readonly instanceId: string;
  readonly previous: InstanceState;
  readonly current: InstanceState;
}

export function stateChangeResponse(action: string, changes: readonly StateChange[]): string {
  const items = changes.map(({ instanceId, previous, current }) =>
    element(
      'item',
      text('instanceId', instanceId) + state('currentState', current) + state('previousState', previous),
    ),
  );
  return response(`${action}Response`, element('instancesSet', items.join('')));
}

export const doneResponse = (action: string) => response(`${action}Response`, text('return', 'true'));

export function errorResponse(code: string, message: string): string {
  const error = element('Error', text('Code', code) + text('Message', message));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${element('Errors', error)}${text('RequestID', requestId)}</Response>`;
}
