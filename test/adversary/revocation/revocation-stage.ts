import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { gitTokenItem, sealGitToken } from '../../../lambdas/domain/code-host/git-token.js';
import { openConnection } from '../../../lambdas/domain/live/connection.js';
import { createInvite } from '../../../lambdas/domain/members/manage-invites.js';
import type { Project } from '../../../lambdas/domain/projects/project.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { attemptDelivery } from '../../../lambdas/domain/prompts/delivery-attempt.js';
import { recheckAccess } from '../../../lambdas/domain/users/recheck-access.js';
import { readSignInPolicy } from '../../../lambdas/domain/users/sign-in-policy.js';
import { nextAccessCheck, userItem, userKey } from '../../../lambdas/domain/users/user.js';
import { placedOn, slotOf, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { SigningKeys } from '../../../lambdas/shared/signing-keys.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type Agent, anAgent } from '../../integration/mcp/an-agent.js';
import { aPrompt, readChat } from '../../integration/prompts/a-chat.js';
import { PromptNode } from '../../integration/prompts/prompt-node.js';
import { loadStep, type RunStep } from '../../integration/workspaces/load-step.js';
import { laptopPolicy } from '../../support/code-host.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestReply, type TestRequest } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { aPerson, aUser, memberOf, type Person, projectOf } from '../../support/project-members.js';
import { aNode, aWorkspace, putNode, putWorkspace } from '../../support/records.js';
import { sagaArn } from '../../support/sagas.js';
import { emptyTable } from '../../support/table.js';
import type { End, LiveThing } from './deadlines.js';
import { policyCheckSeconds } from './deadlines.js';
import { TableStream } from './table-stream.js';

const files = [
  ...['auth/session', 'auth/sign-out', 'auth/sign-out-everywhere', 'admin/change-user', 'admin/users'],
  ...['members/remove', 'members/change', 'terminal/token', 'workspaces/restart', 'invites/accept'],
  ...['callbacks/git-token', 'callbacks/agent-settings', 'mcp/call'],
];

interface Sent {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A person with one of each live thing, and everything that ends them. */
export class RevocationStage implements AsyncDisposable {
  private readonly invokes = new Map<string, Invoke>();
  /** Calls to the live socket's management and to Step Functions, which nobody answers here. */
  private sent: Sent[] = [];
  private sagasRun = 0;
  private loadedFor = '';
  /** Tokens that the code host was asked to revoke. */
  private revokedTokens: string[] = [];
  private readonly node: PromptNode;
  private readonly codeHost = createServer();
  private stream!: TableStream;
  private steps!: { readonly endMembership: RunStep; readonly endSession: RunStep };
  private table!: Table;
  private keys!: SigningKeys;
  private boss!: Person;
  private owner!: Person;
  private person!: Person;
  private project!: Project;
  private agent!: Agent;
  private stoppedId!: string;
  private deliveryId!: string;
  private inviteToken!: string;

  private constructor(node: PromptNode) {
    this.node = node;
  }

  static async start(): Promise<RevocationStage> {
    const node = await PromptNode.start();
    const answer = node.stub.onRequest;
    node.stub.onRequest = async (request) =>
      request.path === '/sessions/ended' ? { status: 200, body: { success: true } } : answer(request);
    const stage = new RevocationStage(node);
    await stage.startCodeHost();
    await stage.load(laptopPolicy.SUPERADMINS);
    return stage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.codeHost.close();
    await this.node[Symbol.asyncDispose]();
  }

  /** A code host that only revokes tokens. `code-host-loss.test.ts` has a complete one. */
  private async startCodeHost(): Promise<void> {
    this.codeHost.on('request', ({ method, url, headers }, response) => {
      if (method === 'DELETE' && url === '/installation/token')
        this.revokedTokens.push(headers.authorization ?? '');
      response.writeHead(204).end();
    });
    this.codeHost.listen(0, '127.0.0.1');
    await once(this.codeHost, 'listening');
  }

  /** The functions of a deployment with these superadmins. */
  private async load(superadmins: string): Promise<void> {
    if (this.loadedFor === superadmins) return;
    this.loadedFor = superadmins;
    vi.resetModules();
    const TABLE_NAME = this.table?.name ?? (await emptyTable()).name;
    // It listens on TCP, so its address has a port.
    const { port } = this.codeHost.address() as AddressInfo;
    const CODE_HOST_API_URL = `http://127.0.0.1:${port}`;
    Object.assign(process.env, functionEnv, laptopPolicy, { TABLE_NAME, CODE_HOST_API_URL });
    process.env.SUPERADMINS = superadmins;
    ({ table: this.table } = await import('../../../lambdas/shared/clients/documents.js'));
    ({ signingKeys: this.keys } = await import('../../../lambdas/shared/clients/signing-keys.js'));
    const { liveSockets } = await import('../../../lambdas/shared/clients/live-sockets.js');
    const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
    const record =
      (_next: unknown, { commandName = '' }: { commandName?: string }) =>
      async ({ input }: { input: object }) => {
        this.sent.push({ name: commandName, input: { ...input } });
        return { output: { $metadata: {} }, response: undefined };
      };
    liveSockets.middlewareStack.add(record, { step: 'initialize', name: 'record' });
    stepFunctions.middlewareStack.add(record, { step: 'initialize', name: 'record' });
    const { handler } = await import('../../../lambdas/streams/end-rights.js');
    this.stream = new TableStream(this.table, handler, () => this.runSagas());
    this.steps = {
      endMembership: await loadStep('end-membership/stop-workspaces'),
      endSession: await loadStep('end-session/notify-nodes'),
    };
    for (const file of files) this.invokes.set(file, await loadRoute(file));
  }

  /** Another person, with everything there is to lose. */
  async reset({ isSuperadmin = false } = {}): Promise<void> {
    await this.load(laptopPolicy.SUPERADMINS);
    const { table } = this;
    const now = new Date();
    this.sent = [];
    this.sagasRun = 0;
    this.revokedTokens = [];
    this.node.stub.requests = [];
    this.node.isBusy = false;
    this.boss = await this.someone('9001');
    this.owner = await aPerson(table);
    this.project = await projectOf(table, this.owner);
    this.person = await memberOf(table, this.project, 'admin');
    if (isSuperadmin) await this.set({ githubId: '1001' });
    const { userId, sessionHash } = this.person;
    await this.set({ accessCheckAt: nextAccessCheck(now) });
    await openConnection(table, { connectionId: this.connectionId, userId, sessionHash }, now);
    await this.putAgent(now);
    const { projectId } = this.project;
    const draft = { inviteId: newId(), projectId, role: 'viewer', createdBy: userId, days: 1 } as const;
    this.inviteToken = (await createInvite(table, draft, now)).token;
    await this.stream.begin();
  }

  private async someone(githubId: string): Promise<Person> {
    const person = await aPerson(this.table);
    await putItem(this.table, userItem(aUser({ userId: person.userId, githubId })));
    return person;
  }

  private async set(change: Readonly<Record<string, unknown>>): Promise<void> {
    const { Item } = await this.table.client.send(
      new GetCommand({ TableName: this.table.name, Key: userKey(this.person.userId) }),
    );
    const { pk, sk, ownerPk, ownerSk, parentPk, parentSk, entity, schemaVersion, ...user } = Item ?? {};
    await putItem(this.table, userItem({ ...aUser(), ...user, ...change }));
  }

  private get connectionId(): string {
    return `of-${this.person.userId}`;
  }

  /** The person's agent on a node with a waiting prompt, and a stopped workspace. */
  private async putAgent(now: Date): Promise<void> {
    const { table, project, person } = this;
    const { userId } = person;
    this.agent = await anAgent(table, now, { project, userId });
    await putItem(table, { ...(await this.member()), role: 'admin', version: 1 });
    const nodeId = newId();
    const { workspaceId, chatSessionId } = this.agent.draft;
    const workspace = aWorkspace({
      ...{ workspaceId, userId, projectId: project.projectId, nodeId },
      ...{ repositoryPermission: 'write', repositoryCheckedAt: now.toISOString() },
    });
    await putWorkspace(table, workspace);
    await putItem(table, {
      ...(await this.item(workspaceKey(workspaceId))),
      ...placedOn(nodeId, workspaceId),
    });
    await putNode(
      table,
      aNode({ nodeId, userId, slots: new Set([slotOf(workspace)]), ...this.node.stub.place }),
    );
    const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
    const expiresAt = new Date(now.getTime() + 60 * 60_000).toISOString();
    const minted = { token: 'ghs_stored', expiresAt, permission: 'write', now } as const;
    await putItem(table, gitTokenItem(await sealGitToken(secretBox, workspace, minted)));
    this.stoppedId = newId();
    await putWorkspace(
      table,
      aWorkspace({
        ...{ workspaceId: this.stoppedId, userId, projectId: project.projectId, status: 'stopped' },
        ...{ repository: null, cloneUrl: null, installationId: null },
      }),
    );
    const chat = await readChat(table, chatSessionId);
    this.deliveryId = (await acceptPrompt(table, aPrompt({ senderId: userId }), { chat, now })).deliveryId;
  }

  private async item(key: { readonly pk: string; readonly sk: string }) {
    const { Item } = await this.table.client.send(
      new GetCommand({ TableName: this.table.name, Key: key, ConsistentRead: true }),
    );
    return Item;
  }

  private member() {
    return this.item({ pk: `PROJECT#${this.project.projectId}`, sk: `MEMBER#${this.person.userId}` });
  }

  private async call(file: string, who: Person | undefined, request: TestRequest = {}): Promise<TestReply> {
    const invoke = this.invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke({ ...request, cookies: who?.cookies ?? [] });
  }

  /** Ends a right as people and operators do it. */
  async end(how: End): Promise<void> {
    const { projectId } = this.project;
    const params = { projectId, userId: this.person.userId };
    const acts: Readonly<Record<End, () => Promise<TestReply | undefined>>> = {
      'sign-out': () => this.call('auth/sign-out', this.person),
      'sign-out everywhere': () => this.call('auth/sign-out-everywhere', this.person),
      'removal from a project': () => this.call('members/remove', this.owner, { params }),
      'demotion to viewer': () =>
        this.call('members/change', this.owner, { params, body: { role: 'viewer' } }),
      suspension: () => this.suspend(params.userId),
      'loss of the superadmin setting': async () => {
        await this.load('9001');
        return undefined;
      },
      'loss by the sign-in policy': () => this.losePolicy(),
    };
    const reply = await acts[how]();
    if (reply && reply.status >= 300) throw new Error(`${how}: ${JSON.stringify(reply)}`);
  }

  private suspend(userId: string): Promise<TestReply> {
    return this.call('admin/change-user', this.boss, { params: { userId }, body: { status: 'suspended' } });
  }

  /** Nobody but `9001` is admitted, and the schedule runs at the latest moment. */
  private async losePolicy(): Promise<undefined> {
    const { codeHost } = await import('../../../lambdas/edge/code-host.js');
    const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
    const none = { ALLOWED_ORGANISATIONS: '', ALLOWED_LOGINS: '', ALLOWED_EMAIL_DOMAINS: '' };
    const policy = readSignInPolicy({ SUPERADMINS: laptopPolicy.SUPERADMINS, ...none });
    const now = new Date(Date.now() + policyCheckSeconds * 1_000);
    // One run takes on fifty people, and the table has those of the tests before.
    for (;;) {
      const run = await recheckAccess({ table: this.table, secrets: secretBox, codeHost, policy, now });
      if (run.admitted + run.suspended + run.unanswered === 0) return undefined;
    }
  }

  /** Lets the stream and the sagas do their work. */
  settle(): Promise<void> {
    return this.stream.drain();
  }

  private async runSagas(): Promise<void> {
    const started = this.sent.filter(({ name }) => name === 'StartExecutionCommand');
    for (const { input } of started.slice(this.sagasRun)) {
      const work = JSON.parse(String(input.input));
      if (input.stateMachineArn === sagaArn('end-membership')) await this.steps.endMembership(work);
      if (input.stateMachineArn === sagaArn('end-session')) await this.steps.endSession(work);
    }
    this.sagasRun = started.length;
  }

  /** Whether a thing works at this moment. Each look at the prompt or the invitation uses it up. */
  async works(thing: LiveThing): Promise<boolean> {
    const looks: Readonly<Record<LiveThing, () => Promise<boolean>>> = {
      'session cookie': async () => (await this.call('auth/session', this.person)).body !== null,
      'live socket': async () => !this.sent.some((one) => this.closesSocket(one)),
      'new terminal token': () =>
        this.isTaken('terminal/token', { body: this.agent.draft, pick: ['workspaceId'] }),
      'terminal, agent socket and preview on a node': () => this.isNodeOpen(),
      'MCP token': async () => (await this.callTool()).status === 200,
      'callback that returns settings or secrets': () =>
        this.isCalledBack('agent-settings', { agentType: 'claude-code' }),
      'new git token': () => this.isCalledBack('git-token', {}),
      'git token that a workspace has': async () => !this.revokedTokens.includes('Bearer ghs_stored'),
      restart: () => this.isTaken('workspaces/restart', { params: { workspaceId: this.stoppedId } }),
      'queued prompt': () => this.isDelivered(),
      'invitation that the person created': () => this.isAccepted(),
      'running workspace': () => this.isRunning(),
      'superadmin route': () => this.isTaken('admin/users', {}),
    };
    return looks[thing]();
  }

  private closesSocket({ name, input }: Sent): boolean {
    return name === 'DeleteConnectionCommand' && input.ConnectionId === this.connectionId;
  }

  private async isTaken(
    file: string,
    { body, pick, params }: { body?: object; pick?: readonly string[]; params?: Record<string, string> },
  ): Promise<boolean> {
    const given = Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => pick?.includes(name)));
    const request = { ...(body ? { body: given } : {}), ...(params ? { params } : {}) };
    const { status } = await this.call(file, this.person, request);
    if (![200, 202, 401, 403].includes(status)) throw new Error(`${file} answered ${status}`);
    return status < 300;
  }

  /** The node received no end of the session, and the workspace was not stopped. */
  private async isNodeOpen(): Promise<boolean> {
    const isReported = this.node.stub.requests.some(
      ({ path, body }) =>
        path === '/sessions/ended' && JSON.stringify(body).includes(this.person.sessionHash),
    );
    return !isReported && (await this.isRunning());
  }

  private async isRunning(): Promise<boolean> {
    const { status } = (await this.item(workspaceKey(this.agent.draft.workspaceId))) ?? {};
    return status === 'running';
  }

  private async isCalledBack(file: 'agent-settings' | 'git-token', body: object): Promise<boolean> {
    const { issueToken } = await import('../../../lambdas/domain/tokens/issue-token.js');
    const { workspaceId, generation } = this.agent.draft;
    const { nodeId } = (await this.item(workspaceKey(workspaceId))) ?? {};
    const claims = { sub: workspaceId, node: String(nodeId), generation };
    const { token } = await issueToken(this.keys, 'workspaceCallback', { claims, now: new Date() });
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await this.call(`callbacks/${file}`, undefined, {
      params: { workspaceId },
      headers,
      body,
    });
    if (![200, 403, 410].includes(status)) throw new Error(`${file} answered ${status}`);
    return status === 200;
  }

  private callTool(): Promise<TestReply> {
    const headers = { authorization: `Bearer ${this.agent.secret}` };
    return this.call('mcp/call', undefined, { headers, body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  }

  private async isDelivered(): Promise<boolean> {
    const parts = { keys: this.keys, now: new Date(), newId };
    const { chatSessionId: chatId } = this.agent.draft;
    const { deliveryId } = this;
    const { outcome } = await attemptDelivery(this.table, parts, { chatId, deliveryId });
    return outcome === 'delivered';
  }

  private async isAccepted(): Promise<boolean> {
    const guest = await aPerson(this.table);
    const { status } = await this.call('invites/accept', guest, { body: { token: this.inviteToken } });
    return status === 200;
  }
}
