import { zip } from '../../../local/deployment/zip.js';
import { bootEnvPath } from '../../../protocol/boot.js';

/** What a call of an attack changes has this name. */
export const mark = 'doors';
export const attackNode = '01J0000000000000000000D00R';

/** A call of an AWS service or of a stand-in, as somebody without a key sends it. */
export interface AccountCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const authorization = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20261128/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

function target(service: string, action: string, body: object = {}): AccountCall {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': action };
  const signed = { ...headers, authorization: authorization(service) };
  return { method: 'POST', path: '/', headers: signed, body: JSON.stringify(body) };
}

const query = (fields: Readonly<Record<string, string>>): AccountCall => ({
  method: 'POST',
  path: '/',
  headers: form,
  body: new URLSearchParams(fields).toString(),
});

const rest = (service: string, method: string, path: string, body?: object): AccountCall => ({
  method,
  path,
  headers: { authorization: authorization(service) },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const newFunction = {
  FunctionName: mark,
  Runtime: 'nodejs24.x',
  Handler: 'index.handler',
  Role: 'arn:aws:iam::000000000000:role/any',
  Code: {
    ZipFile: zip(new Map([['index.mjs', Buffer.from('export const handler = 1')]])).toString('base64'),
  },
};
const bootEnv = `NODE_ID=${attackNode}\nCONTROL_PLANE_URL=http://localhost:1\nBOOTSTRAP_TOKEN=t\n`;
const userData = `#cloud-config\n${JSON.stringify({ write_files: [{ path: bootEnvPath, content: bootEnv }] })}`;

/** By what each would do if the service took it. */
export const accountCalls: Readonly<Record<string, AccountCall>> = {
  'lists tables': target('dynamodb', 'DynamoDB_20120810.ListTables'),
  'lists secrets': target('secretsmanager', 'secretsmanager.ListSecrets'),
  'lists keys': target('kms', 'TrentService.ListKeys'),
  'lists state machines': target('states', 'AWSStepFunctions.ListStateMachines'),
  'makes a rule of events': target('events', 'AWSEvents.PutRule', {
    Name: mark,
    ScheduleExpression: 'rate(1 minute)',
  }),
  'makes a queue': query({ Action: 'CreateQueue', QueueName: mark }),
  'asks for its identity': query({ Action: 'GetCallerIdentity', Version: '2011-06-15' }),
  'makes a bucket': rest('s3', 'PUT', `/${mark}`),
  'lists buckets': rest('s3', 'GET', '/'),
  'lists functions': rest('lambda', 'GET', '/2015-03-31/functions/'),
  'makes a function': rest('lambda', 'POST', '/2015-03-31/functions', newFunction),
  'calls a function': rest('lambda', 'POST', `/2015-03-31/functions/${mark}/invocations`, {}),
  'launches a node': query({
    Action: 'RunInstances',
    MinCount: '1',
    MaxCount: '1',
    ClientToken: attackNode,
    UserData: Buffer.from(userData).toString('base64'),
    'TagSpecification.1.ResourceType': 'instance',
    'TagSpecification.1.Tag.1.Key': 'berth:node',
    'TagSpecification.1.Tag.1.Value': attackNode,
  }),
  'resets the emulator': { method: 'POST', path: '/_ministack/reset', headers: {} },
  'changes the emulator': {
    method: 'POST',
    path: '/_ministack/config',
    headers: {},
    body: '{"stepfunctions._SFN_WAIT_SCALE":0}',
  },
  'reads the health of the emulator': { method: 'GET', path: '/_ministack/health', headers: {} },
  'answers for a custom resource': { method: 'PUT', path: '/_ministack/cfn-response/x', headers: {} },
  'calls an API around the front': {
    method: 'GET',
    path: '/_aws/execute-api/any/$default/health',
    headers: {},
  },
  'uploads by a form': { method: 'POST', path: `/${mark}`, headers: {}, body: 'key=x' },
  'reads a user of the code host': { method: 'GET', path: '/api/v3/user', headers: {} },
  'signs in at the code host': {
    method: 'GET',
    path: '/login/oauth/authorize?login=octo&client_id=Iv1.berth-laptop&redirect_uri=http://localhost/',
    headers: {},
  },
  'invites to a repository': {
    method: 'PUT',
    path: '/api/v3/repos/octo/hello/collaborators/mallory',
    headers: form,
    body: 'permission=push',
  },
};
