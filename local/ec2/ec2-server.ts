import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { BootEnv } from '../../protocol/boot.js';
import type { EmulatorAccess } from '../access/keys.js';
import { isOfForeignPage, isOwnHost, refusedHost, refusedPage } from '../access/pages.js';
import { callAws, isSigned } from '../access/signature.js';
import { readBody } from '../read-body.js';
import * as xml from './ec2-xml.js';
import { type InstanceRecord, matchesFilters, UnsupportedFilter } from './instance-record.js';
import { ClientTokenReused, type Instances, LaunchRefused } from './instances.js';
import {
  type LaunchTemplateVersion,
  launchTemplateQuery,
  readLaunchTemplateVersion,
} from './launch-template.js';
import { QueryRequest } from './query-request.js';
import { BadUserData, parseUserData } from './user-data.js';

const nodeTag = 'berth:node';
/** Its machine is launched before its node, and boots an agent after a new start with user data. */
const warmTag = 'berth:warm';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

export interface Ec2Call {
  readonly kind: 'ec2';
  readonly app: string;
  /** Of EC2's query protocol. */
  readonly parameters: string;
  readonly answer: string;
}

class Ec2Error extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const ok = (body: string): Answer => ({ status: 200, body });
const refusal = (code: string, message: string): Answer => ({
  status: 400,
  body: xml.errorResponse(code, message),
});

const plain = (body: string): Answer => ({ status: 403, body, type: 'text/plain' });
const unsigned = 'The request is not signed with the key of this laptop cloud.\n';

/**
 * EC2's endpoint on this laptop. Instances that are nodes of this deployment are answered here;
 * every other call goes on to the emulator unchanged.
 */
export class Ec2Server {
  private readonly server: Server;

  constructor(
    private readonly instances: Instances,
    private readonly upstream: EmulatorAccess,
    /** Receives each call of a function, with the app id of its SDK: for tests of its rights. */
    private readonly record: (call: Ec2Call) => void = () => undefined,
  ) {
    this.server = createServer(async (request, response) => {
      const answer = await this.received(request);
      const { status, body, type = 'text/xml;charset=UTF-8' } = answer;
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, host: '127.0.0.1' }, resolve);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Refuses every request that is not signed with the key of the emulator, before its action. */
  private async received(request: IncomingMessage): Promise<Answer> {
    const { method = '', url = '', headers } = request;
    if (!isOwnHost(headers.host)) return plain(refusedHost);
    if (isOfForeignPage(request)) return plain(refusedPage);
    try {
      const body = await readBody(request);
      if (!isSigned({ method, url, headers, body }, this.upstream.keys)) return plain(unsigned);
      return await this.recorded(body, headers);
    } catch (error) {
      return refusal('RequestLimitExceeded', String(error));
    }
  }

  private async recorded(body: Buffer, headers: IncomingHttpHeaders): Promise<Answer> {
    const answer = await this.answer(body);
    const app = /\bapp\/(\S+?)(?:-PT-NO-OP\S*)?(?:\s|$)/.exec(headers['user-agent'] ?? '')?.[1];
    if (app) this.record({ kind: 'ec2', app, parameters: body.toString('utf8'), answer: answer.body });
    return answer;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each kind of request
  private async answer(body: Buffer): Promise<Answer> {
    const request = QueryRequest.parse(body.toString('utf8'));
    try {
      return (await this.own(request)) ?? (await this.pass(body.toString('utf8')));
    } catch (error) {
      if (error instanceof Ec2Error) return refusal(error.code, error.message);
      if (error instanceof BadUserData) return refusal('InvalidUserData.Malformed', error.message);
      if (error instanceof UnsupportedFilter) return refusal('InvalidParameterValue', error.message);
      if (error instanceof LaunchRefused) return refusal(error.code, error.message);
      if (error instanceof ClientTokenReused) return refusal('IdempotentParameterMismatch', error.message);
      return { status: 503, body: xml.errorResponse('Unavailable', String(error)) };
    }
  }

  /** The answer for this laptop's instances, or nothing when the call does not concern them. */
  private async own(request: QueryRequest): Promise<Answer | undefined> {
    switch (request.action) {
      case 'RunInstances':
        return request.instanceTags()[nodeTag] === undefined ? undefined : this.run(request);
      case 'DescribeInstances':
        return this.describe(request);
      case 'TerminateInstances':
        return this.change(request, (record) => this.instances.terminate(record));
      case 'StopInstances':
        return this.change(request, (record) => this.instances.stop(record));
      case 'StartInstances':
        return this.change(request, (record) => this.instances.start(record));
      case 'ModifyInstanceAttribute':
        return this.setUserData(request);
      case 'RebootInstances':
        return this.change(request, (record) => this.instances.reboot(record));
      case 'CreateTags':
        return this.createTags(request);
      default:
        return undefined;
    }
  }

  private async run(request: QueryRequest): Promise<Answer> {
    const template = await this.launchTemplate(request);
    const userData = request.get('UserData');
    if (!userData) throw new Ec2Error('MissingParameter', 'A node needs user data to boot from');
    const tags = request.instanceTags();
    const bootEnv = bootEnvOf(tags, userData);
    const record = await this.instances.launch({
      bootEnv,
      nodeId: tags[nodeTag] ?? '',
      tags,
      clientToken: request.get('ClientToken') ?? `${tags[nodeTag]}-${Date.now()}`,
      instanceType: request.get('InstanceType') ?? template?.instanceType ?? 't4g.large',
      imageId: request.get('ImageId') ?? template?.imageId ?? 'ami-00000000',
      subnetId: request.get('SubnetId') ?? request.get('NetworkInterface.1.SubnetId') ?? '',
    });
    return ok(xml.runInstancesResponse(record));
  }

  /** The emulator has the launch templates of the deployment with all their versions. */
  private async launchTemplate(request: QueryRequest): Promise<LaunchTemplateVersion | undefined> {
    const query = launchTemplateQuery(request);
    if (query === undefined) return undefined;
    const { status, body } = await this.pass(query);
    if (status !== 200)
      throw new Ec2Error('InvalidLaunchTemplateId.NotFound', 'The launch template does not exist');
    const version = readLaunchTemplateVersion(body);
    if (!version)
      throw new Ec2Error(
        'InvalidLaunchTemplateId.VersionNotFound',
        'The launch template has no such version',
      );
    return version;
  }

  private describe(request: QueryRequest): Answer | undefined {
    const ids = request.list('InstanceId');
    if (ids.length > 0 && !ids.some((id) => this.instances.get(id))) {
      throw new Ec2Error('InvalidInstanceID.NotFound', `The instance IDs '${ids.join(', ')}' do not exist`);
    }
    const filters = request.filters();
    const records = this.instances
      .list()
      .filter((record) => ids.length === 0 || ids.includes(record.instanceId))
      .filter((record) => matchesFilters(record, filters));
    return ok(xml.describeInstancesResponse(records));
  }

  private change(request: QueryRequest, act: (record: InstanceRecord) => void): Answer {
    const ids = request.list('InstanceId');
    const records = ids.map((id) => {
      const record = this.instances.get(id);
      if (!record) throw new Ec2Error('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
      return record;
    });
    const changes = records.map((record) => {
      const previous = record.state;
      act(record);
      return { instanceId: record.instanceId, previous, current: record.state };
    });
    return ok(xml.stateChangeResponse(request.action, changes));
  }

  private setUserData(request: QueryRequest): Answer | undefined {
    const record = this.instances.get(request.get('InstanceId') ?? '');
    const userData = request.get('UserData.Value');
    if (!record || !userData) return undefined;
    if (record.state !== 'stopped')
      throw new Ec2Error('IncorrectInstanceState', `The instance '${record.instanceId}' is not stopped`);
    this.instances.setBootEnv(record, parseUserData(userData));
    return ok(xml.doneResponse(request.action));
  }

  private createTags(request: QueryRequest): Answer | undefined {
    const records = request.list('ResourceId').flatMap((id) => this.instances.get(id) ?? []);
    if (records.length === 0) return undefined;
    for (const record of records) this.instances.tag(record, request.tags('Tag'));
    return ok(xml.doneResponse(request.action));
  }

  private async pass(body: string): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const response = await callAws(this.upstream, { service: 'ec2', headers, body });
    return { status: response.status, body: await response.text() };
  }
}

function bootEnvOf(tags: Readonly<Record<string, string>>, userData: string): BootEnv | undefined {
  if (tags[warmTag] !== undefined) return undefined;
  const bootEnv = parseUserData(userData);
  if (tags[nodeTag] === bootEnv.NODE_ID) return bootEnv;
  throw new Ec2Error(
    'InvalidParameterCombination',
    `The tag ${nodeTag} and the user data name different nodes`,
  );
}
