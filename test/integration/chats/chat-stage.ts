import { afterAll, beforeEach, expect } from 'vitest';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { NodeStub } from '../workspaces/node-stub.js';

const files = [
  ...['list', 'create', 'get', 'messages', 'tool-content', 'state'].map((name) => `chats/${name}`),
  ...['prompt', 'cancel', 'stop', 'deliveries'].map((name) => `chats/${name}`),
  ...['create', 'list', 'stop'].map((name) => `agent-sessions/${name}`),
  'callbacks/messages',
  'callbacks/agent-activity',
  'mcp/call',
];

/** What replies of these routes may hold. */
interface Reported {
  readonly id: string;
  readonly chatSessionId: string;
  readonly messages: readonly { readonly content: string; readonly sequence: number }[];
  readonly sessions: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
  readonly state: object;
}

interface Place {
  readonly me: SignedIn;
  readonly project: ReturnType<typeof aProject>;
  readonly workspace: Workspace;
}

interface Parts {
  readonly table: Table;
  readonly calls: CallCount;
  readonly wakeUpQueues: TestWakeUpQueues;
  readonly node: NodeStub;
  readonly invokes: ReadonlyMap<string, Invoke>;
}

/**
 * The routes of chats, and a person with a project and a workspace of it on a node: others for each
 * test.
 */
class ChatStage {
  readonly table: Table;
  readonly calls: CallCount;
  readonly wakeUpQueues: TestWakeUpQueues;
  readonly node: NodeStub;
  readonly invokes: ReadonlyMap<string, Invoke>;
  me: Place['me'];
  project: Place['project'];
  workspace: Place['workspace'];

  private constructor(
    { table, calls, wakeUpQueues, node, invokes }: Parts,
    { me, project, workspace }: Place,
  ) {
    this.table = table;
    this.calls = calls;
    this.wakeUpQueues = wakeUpQueues;
    this.node = node;
    this.invokes = invokes;
    this.me = me;
    this.project = project;
    this.workspace = workspace;
  }

  static async open(): Promise<ChatStage> {
    Object.assign(process.env, functionEnv, { TABLE_NAME: (await emptyTable()).name });
    const wakeUpQueues = await TestWakeUpQueues.create();
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const invokes = new Map<string, Invoke>();
    for (const file of files) invokes.set(file, await loadRoute(file));
    const node = await NodeStub.start();
    const parts = { table, calls: countCalls(table.client), wakeUpQueues, node, invokes };
    return new ChatStage(parts, await anotherPlace(parts));
  }

  async reset(): Promise<void> {
    this.node.requests = [];
    this.node.onRequest = async ({ path, body }) =>
      path.includes('/agent-sessions')
        ? { status: 201, body: this.nodeSession(String(body.sessionId ?? '')) }
        : undefined;
    Object.assign(this, await anotherPlace(this));
  }

  join({ userId }: SignedIn, role: 'owner' | 'viewer'): Promise<void> {
    return join(this.table, this.project, { userId, role });
  }

  async call(file: string, request: TestRequest) {
    this.calls.reset();
    const reply = await this.invokes.get(file)?.(request);
    if (!reply) throw new Error(`${file} is not loaded`);
    const most = callBudgetOf(file, routeOf(file).method);
    const { names } = this.calls;
    expect(names.length, `${file}: ${names.join()}`).toBeLessThanOrEqual(most);
    return { ...reply, body: reply.body as Reported }; // Whether it is there is what is tested.
  }

  here(more: Record<string, string> = {}) {
    return { params: { projectId: this.project.projectId, ...more } };
  }

  async bearer({ workspaceId, nodeId, generation }: Workspace = this.workspace) {
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    return { headers: { authorization: `Bearer ${token}` } };
  }

  async agentSession(more: object = {}) {
    const params = { workspaceId: this.workspace.workspaceId };
    const asked = as(this.me, { params, body: { label: 'fix it', ...more } });
    const made = await this.call('agent-sessions/create', asked);
    expect(made.status).toBe(201);
    return { sessionId: String(made.body.chatSessionId), agentSessionId: String(made.body.id) };
  }

  async report(
    messages: readonly ConversationMessage[],
    {
      generation = 1,
      streamId,
      as: reporter = this.workspace,
      activity,
    }: { generation?: number; streamId?: string; as?: Workspace; activity?: object } = {},
  ) {
    const { workspaceId } = reporter;
    return this.call('callbacks/messages', {
      params: { workspaceId },
      ...(await this.bearer(reporter)),
      body: { generation, messages, ...(streamId ? { streamId } : {}), ...(activity ? { activity } : {}) },
    });
  }

  /** What the agent of this session does, as reported with messages. */
  doing(agentSessionId: string, more: object) {
    return { agentSessionId, projectId: this.project.projectId, restartCount: 0, ...more };
  }

  /** What the node reports of the agent. */
  async reportActivity(
    agentSessionId: string,
    body: object,
    {
      projectId = this.project.projectId,
      as: reporter = this.workspace,
    }: { projectId?: string; as?: Workspace } = {},
  ) {
    const { workspaceId, nodeId, generation } = reporter;
    return this.call('callbacks/agent-activity', {
      params: { projectId, sessionId: agentSessionId },
      ...(await this.bearer(reporter)),
      body: { nodeId, workspaceId, generation, restartCount: 0, ...body },
    });
  }

  async contents(sessionId: string, query: Record<string, string> = {}) {
    const page = await this.call('chats/messages', as(this.me, { ...this.here({ sessionId }), query }));
    expect(page.status).toBe(200);
    return page.body.messages.map(({ content }) => content.trim());
  }

  private nodeSession(id: string) {
    const at = '2026-11-21T10:00:00.000Z';
    return {
      ...{ id, workspaceId: this.workspace.workspaceId, status: 'running', hostStatus: 'idle' },
      ...{ viewerCount: 0, label: null, agentType: null, acpSessionId: null, lastPrompt: null },
      ...{ errorMessage: null, createdAt: at, updatedAt: at, stoppedAt: null, suspendedAt: null },
    };
  }
}

async function anotherPlace({ table, node }: Pick<Parts, 'table' | 'node'>): Promise<Place> {
  const me = await signIn(table);
  const project = aProject({ userId: me.userId });
  await putItem(table, projectItem(project));
  await join(table, project, { userId: me.userId, role: 'owner' });
  const { workspace } = await placedWorkspace(
    table,
    { userId: me.userId, projectId: project.projectId, status: 'running' },
    node.place,
  );
  return { me, project, workspace };
}

async function join(
  table: Table,
  project: Place['project'],
  { userId, role }: { readonly userId: string; readonly role: 'owner' | 'viewer' },
): Promise<void> {
  const { projectId, createdAt: joinedAt } = project;
  await putItem(table, memberItem({ projectId, userId, role, status: 'active', project, joinedAt }));
}

/** A stage for the tests of a file. */
export async function chatStage(): Promise<ChatStage> {
  const stage = await ChatStage.open();
  beforeEach(() => stage.reset());
  afterAll(() => stage.node[Symbol.asyncDispose]());
  return stage;
}

export const as = ({ cookie }: SignedIn, more: TestRequest = {}): TestRequest => ({
  cookies: [cookie],
  ...more,
});
