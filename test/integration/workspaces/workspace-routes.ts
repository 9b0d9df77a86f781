import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { grantItem } from '../../../lambdas/domain/code-host/grant.js';
import { installationKey } from '../../../lambdas/domain/code-host/installation.js';
import { sealGrant } from '../../../lambdas/domain/code-host/open-user-token.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import type { SigningKeys } from '../../../lambdas/shared/signing-keys.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute, routeOf, type TestReply, type TestRequest } from '../../support/invoke.js';
import { placedWorkspace } from '../../support/records.js';
import { sagaArns } from '../../support/sagas.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { type CodeHostStub, startCodeHost, userToken } from './code-host.js';
import { NodeStub } from './node-stub.js';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, cookies: [] });

/**
 * Routes about workspaces and nodes, called by octo, who has a grant on the code host and a node
 * that answers.
 */
export class WorkspaceRoutes implements AsyncDisposable {
  private readonly invokes = new Map<string, Invoke>();

  private constructor(
    readonly table: Table,
    readonly octo: SignedIn,
    readonly node: NodeStub,
    private readonly parts: {
      readonly keys: SigningKeys;
      readonly calls: CallCount;
      readonly codeHost: CodeHostStub;
    },
  ) {}

  static async load(files: readonly string[]): Promise<WorkspaceRoutes> {
    const codeHost = await startCodeHost();
    Object.assign(process.env, {
      DEPLOYMENT_ID: 'test',
      WORKSPACE_URL_TEMPLATE: 'http://ws-{workspaceId}.localhost:8787',
      CODE_HOST_API_URL: codeHost.url,
      CODE_HOST_SECRET_ARN: 'unused',
      // None of these exists: a saga that cannot be started is the sweep's.
      ...sagaArns,
    });
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const { signingKeys: keys } = await import('../../../lambdas/shared/clients/signing-keys.js');
    const octo = await signIn(table);
    await grant(table, octo);
    const node = await NodeStub.start();
    node.onRequest = async () => ({ status: 200, body: { success: true, status: 'rebuilding' } });
    const routes = new WorkspaceRoutes(table, octo, node, {
      keys,
      calls: countCalls(table.client),
      codeHost,
    });
    for (const file of files) routes.invokes.set(file, await loadRoute(file));
    return routes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.parts.codeHost.server.close();
    await this.node[Symbol.asyncDispose]();
  }

  /** Files of the repository on the code host. */
  get files(): Map<string, string> {
    return this.parts.codeHost.files;
  }

  /** Table calls of the last route. */
  get made(): readonly string[] {
    return this.parts.calls.names;
  }

  /** What was called until now does not count. */
  forgetCalls(): void {
    this.parts.calls.reset();
  }

  /** Calls a route, and holds it to its budget of table calls. */
  async call(file: string, request: TestRequest = {}, caller = this.octo): Promise<TestReply> {
    this.parts.calls.reset();
    const reply = await this.unheld(file, request, caller);
    if (this.made.length > callBudgetOf(file, routeOf(file).method))
      throw new Error(`${file} made ${this.made.join()}`);
    return reply;
  }

  /** The same without a look at its budget, for calls at the same time. */
  unheld(file: string, request: TestRequest = {}, caller = this.octo): Promise<TestReply> {
    const invoke = this.invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke({ cookies: [caller.cookie], ...request });
  }

  async ofNode(nodeId: string, now = new Date()) {
    const claims = { sub: nodeId };
    return bearer((await issueToken(this.parts.keys, 'nodeCallback', { claims, now })).token);
  }

  async ofWorkspace({ workspaceId, nodeId, generation }: Workspace, now = new Date()) {
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    return bearer((await issueToken(this.parts.keys, 'workspaceCallback', { claims, now })).token);
  }

  /** A workspace of octo's on the node that answers. */
  onNode(overrides: Partial<Workspace> = {}) {
    const { port, certificatePem } = this.node.place;
    // `readyAt` before `dispatchedAt` is a workspace that is still being dispatched.
    const at = new Date().toISOString();
    return placedWorkspace(
      this.table,
      {
        userId: this.octo.userId,
        nodeUrl: `https://127.0.0.1:${port}`,
        nodeCertificatePem: certificatePem,
        dispatchedAt: at,
        readyAt: at,
        ...overrides,
      },
      { port, certificatePem },
    );
  }
}

async function grant(table: Table, { userId }: SignedIn): Promise<void> {
  const { secretBox } = await import('../../../lambdas/edge/secret-box.js');
  const now = new Date();
  const sealed = await sealGrant(
    secretBox,
    { userId, version: 1, now },
    { accessToken: userToken, refreshToken: null, expiresIn: null },
  );
  const at = now.toISOString();
  const installation = {
    ...installationKey(userId, '1'),
    ...{ userId, installationId: '1', accountType: 'personal', accountName: 'octo' },
    ...{ createdAt: at, updatedAt: at },
  };
  for (const Item of [grantItem(sealed), installation])
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
}
