import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { countedAs } from '../../../lambdas/domain/code-host/give-git-token.js';
import { grantContext, grantItem, loadAccount, UserTokens } from '../../../lambdas/domain/code-host/grant.js';
import { sealGrant } from '../../../lambdas/domain/code-host/open-user-token.js';
import { rateWindowKey } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { type Workspace, workspaceItem, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { loadStep, type RunStep } from '../../integration/workspaces/load-step.js';
import { NodeStub } from '../../integration/workspaces/node-stub.js';
import { startCodeHost } from '../../support/code-host.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestReply, type TestRequest } from '../../support/invoke.js';
import { aNode, putNode } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { walkSignIn } from '../../support/walk-sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';

/** The private repository of octo to which hubot is invited. */
const repository = 'octo/notes';
const files = [
  'auth/session',
  'callbacks/agent-settings',
  'callbacks/git-token',
  'terminal/token',
  'workspaces/create',
  'workspaces/rebuild',
  'workspaces/restart',
] as const;
type File = (typeof files)[number];

/** The laptop's code host, the functions, and hubot, who works in a repository of octo's. */
export class CodeHostStage implements AsyncDisposable {
  /** What the functions asked of the code host, as `METHOD /path`. */
  asked: string[] = [];
  /** Requests to the code host fail on their way. */
  isCodeHostAway = false;

  private constructor(
    readonly table: Table,
    private readonly parts: {
      readonly codeHost: AsyncDisposable;
      readonly node: NodeStub;
      readonly calls: CallCount;
      readonly invokes: ReadonlyMap<string, Invoke>;
      readonly octo: string;
      readonly hubot: string;
      readonly markStopped: RunStep;
      readonly fetch: typeof fetch;
    },
  ) {}

  static async start(): Promise<CodeHostStage> {
    Object.assign(process.env, functionEnv);
    const codeHost = await startCodeHost();
    process.env.TABLE_NAME = (await emptyTable()).name;
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
    const invokes = new Map<string, Invoke>();
    for (const file of files) invokes.set(file, await loadRoute(file));
    const markStopped = await loadStep('stop-workspace/mark-stopped');
    const node = await NodeStub.start();
    node.onRequest = async () => ({ status: 200, body: { success: true, status: 'rebuilding' } });
    const [octo, hubot] = [await walkSignIn(browser, 'octo'), await walkSignIn(browser, 'hubot')];
    const calls = countCalls(table.client);
    const stage = new CodeHostStage(table, {
      codeHost,
      node,
      calls,
      invokes,
      octo,
      hubot,
      markStopped,
      fetch,
    });
    globalThis.fetch = (input, init) => stage.listenedFetch(input, init);
    return stage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    globalThis.fetch = this.parts.fetch;
    await this.parts.node[Symbol.asyncDispose]();
    await this.parts.codeHost[Symbol.asyncDispose]();
  }

  /** Octo gives hubot this right on the repository, or takes it. */
  async invite(permission: 'pull' | 'push' | null): Promise<void> {
    const { accessToken } = await this.tokensOf(this.parts.octo);
    const response = await this.parts.fetch(
      `${process.env.CODE_HOST_API_URL}/repos/${repository}/collaborators/hubot`,
      {
        method: permission === null ? 'DELETE' : 'PUT',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        ...(permission === null ? {} : { body: JSON.stringify({ permission }) }),
      },
    );
    if (response.status !== 204) throw new Error(`The code host answered ${response.status}`);
  }

  /** Hubot's grant holds this token from now on. */
  async replaceUserToken(accessToken: string): Promise<void> {
    const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
    const [userId, now] = [await this.userIdOf(this.parts.hubot), new Date()];
    const tokens = { accessToken, refreshToken: null, expiresIn: null };
    const grant = await sealGrant(secretBox, { userId, version: now.getTime(), now }, tokens);
    await this.put(grantItem(grant));
  }

  async userToken(): Promise<string> {
    return (await this.tokensOf(this.parts.hubot)).accessToken;
  }

  /** A workspace of hubot's on a node, in this state. */
  async workspace(status: Workspace['status'] = 'running'): Promise<Workspace> {
    const { parts } = this;
    const made = await this.call('workspaces/create', { body: { installationId: '5001', repository } });
    if (made.status !== 201) throw new Error(`Not created: ${JSON.stringify(made.body)}`);
    const row = await this.present((made.body as { id: string }).id);
    const { port, certificatePem } = parts.node.place;
    const nodeUrl = `https://127.0.0.1:${port}`;
    const node = aNode({ userId: row.userId, port, certificatePem });
    await putNode(this.table, node);
    const place = { nodeId: node.nodeId, nodeUrl, nodeCertificatePem: certificatePem };
    const workspace = { ...row, status, ...place };
    await this.put(workspaceItem(workspace));
    return workspace;
  }

  async present(workspaceId: string): Promise<Workspace> {
    const workspace = await findWorkspace(this.table, workspaceId);
    if (!workspace) throw new Error('The workspace is gone');
    return workspace;
  }

  /** As the saga does it when the node has stopped the workspace. */
  async stop(workspace: Workspace): Promise<void> {
    await this.put(workspaceItem({ ...(await this.present(workspace.workspaceId)), status: 'stopping' }));
    const { workspaceId, generation } = workspace;
    await this.parts.markStopped({ workspaceId, generation, nodeConfirmed: true });
  }

  /** Its next generation. */
  async restart(workspace: Workspace): Promise<Workspace> {
    const { generation, ...kept } = await this.present(workspace.workspaceId);
    const next = { ...kept, generation: generation + 1 };
    await this.put(workspaceItem(next));
    return next;
  }

  /** Dates the last check back, and the last request to the code host to an earlier minute. */
  async age(workspace: Workspace, seconds: number): Promise<void> {
    const { workspaceId } = workspace;
    const { repositoryCheckedAt } = await this.present(workspaceId);
    if (repositoryCheckedAt !== undefined) {
      const earlier = new Date(Date.parse(repositoryCheckedAt) - seconds * 1_000).toISOString();
      await this.update(workspaceKey(workspaceId), 'SET repositoryCheckedAt = :value', earlier);
    }
    await this.forgetLimit(workspace);
  }

  async forgetLimit(workspace: Pick<Workspace, 'workspaceId' | 'generation'>): Promise<void> {
    const seconds = Math.floor(Date.now() / 1_000);
    for (const start of [seconds - (seconds % 60), seconds - (seconds % 60) - 60]) {
      const key = rateWindowKey(rateLimits.GIT_TOKEN, countedAs(workspace), start);
      await this.update(key, 'SET #count = :value', 0, { '#count': 'count' });
    }
  }

  /** A call of hubot's, within the budget of table calls. */
  async call(file: File, request: TestRequest = {}): Promise<TestReply> {
    const { calls } = this.parts;
    calls.reset();
    const reply = await this.unheld(file, request);
    if (calls.names.length > callBudgetOf(file, routeOf(file).method))
      throw new Error(`${file} made ${calls.names.join()}`);
    return reply;
  }

  unheld(file: File, request: TestRequest = {}): Promise<TestReply> {
    const invoke = this.parts.invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke({ cookies: [this.parts.hubot], ...request });
  }

  async gitToken(workspace: Workspace, body?: object): Promise<TestReply> {
    return this.call('callbacks/git-token', await this.callback(workspace, body));
  }

  async callback({ workspaceId, nodeId, generation }: Workspace, body: object = {}): Promise<TestRequest> {
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    return { params: { workspaceId }, headers: { authorization: `Bearer ${token}` }, cookies: [], body };
  }

  /** What the code host answers git with the token of this reply: to a fetch, and to a push. */
  async gitAnswers({ body }: TestReply): Promise<{ readonly fetch: number; readonly push: number }> {
    const { token, cloneUrl } = body as { token: string; cloneUrl: string };
    const headers = { authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}` };
    const ask = async (service: string) =>
      (await this.parts.fetch(`${cloneUrl}/info/refs?service=${service}`, { headers })).status;
    return { fetch: await ask('git-upload-pack'), push: await ask('git-receive-pack') };
  }

  /** How many installation tokens were minted since `asked` was emptied. */
  get minted(): number {
    return this.asked.filter((call) => call.endsWith('/access_tokens')).length;
  }

  private async listenedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    this.asked.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
    if (this.isCodeHostAway) throw new TypeError('fetch failed');
    return this.parts.fetch(input, init);
  }

  private async tokensOf(cookie: string): Promise<UserTokens> {
    const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
    const userId = await this.userIdOf(cookie);
    const { grant } = await loadAccount(this.table, userId);
    if (!grant) throw new Error('No grant');
    return UserTokens.parse(JSON.parse(await secretBox.open(grant.tokens, grantContext(userId))));
  }

  private async userIdOf(cookie: string): Promise<string> {
    const { body } = await this.unheld('auth/session', { cookies: [cookie] });
    return (body as { user: { id: string } }).user.id;
  }

  async item(key: { readonly pk: string; readonly sk: string }): Promise<unknown> {
    const { name: TableName, client } = this.table;
    return (await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))).Item;
  }

  private async put(Item: Record<string, unknown>): Promise<void> {
    await this.table.client.send(new PutCommand({ TableName: this.table.name, Item }));
  }

  private async update(
    Key: { pk: string; sk: string },
    UpdateExpression: string,
    value: unknown,
    names?: Record<string, string>,
  ): Promise<void> {
    await this.table.client.send(
      new UpdateCommand({
        ...{ TableName: this.table.name, Key, UpdateExpression },
        ExpressionAttributeValues: { ':value': value },
        ...(names ? { ExpressionAttributeNames: names } : {}),
      }),
    );
  }
}
