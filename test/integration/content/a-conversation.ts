import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, routeOf, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aChat } from '../prompts/a-chat.js';

/** Contents of these routes' responses. */
interface Reported {
  readonly messages: readonly {
    readonly content: string;
    readonly sequence: number;
    readonly contentBytes: number | null;
    readonly hasToolContent: boolean;
  }[];
  readonly content: unknown;
  readonly nextCursor: string | null;
  readonly uploadUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Reporter {
  readonly generation?: number;
  readonly streamId?: string;
}

/** Routes that store and show messages, over their own table. */
export class Conversation {
  readonly calls: CallCount;

  private constructor(
    readonly table: Table,
    private readonly invokes: ReadonlyMap<string, Invoke>,
    readonly as: { readonly me: SignedIn; readonly project: ReturnType<typeof aProject> },
    public workspace: Workspace,
  ) {
    this.calls = countCalls(table.client);
  }

  static async start(files: readonly string[]): Promise<Conversation> {
    const { name } = await emptyTable();
    Object.assign(process.env, functionEnv, { TABLE_NAME: name });
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const invokes = new Map<string, Invoke>();
    for (const file of files) invokes.set(file, await loadRoute(file));
    const me = await signIn(table);
    const { userId } = me;
    const project = aProject({ userId });
    const { projectId, createdAt: joinedAt } = project;
    await putItem(table, projectItem(project));
    const member = { projectId, userId, role: 'owner', status: 'active', project, joinedAt } as const;
    await putItem(table, memberItem(member));
    const { workspace } = await placedWorkspace(table, { userId, projectId, status: 'running' });
    return new Conversation(table, invokes, { me, project }, workspace);
  }

  /** @returns the id of a chat with this workspace */
  async begin(more: Parameters<typeof aChat>[0] = {}): Promise<string> {
    const { workspaceId } = this.workspace;
    const { projectId, userId } = this.as.project;
    const chat = aChat({ projectId, userId, workspaceId, ...more });
    await putItem(this.table, chatItem(chat));
    return chat.chatId;
  }

  async call(file: string, request: TestRequest) {
    this.calls.reset();
    const reply = await this.invokes.get(file)?.(request);
    if (!reply) throw new Error(`${file} is not loaded`);
    const most = routeOf(file).method === 'GET' ? callBudget.GET : callBudget.POST;
    if (this.calls.names.length > most)
      throw new Error(`${file} exceeds its budget: ${this.calls.names.join()}`);
    return { ...reply, body: reply.body as Reported }; // The tests check whether it exists.
  }

  /** As the workspace of this generation. */
  async callBack(file: string, body: object, generation = this.workspace.generation) {
    const { workspaceId, nodeId } = this.workspace;
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    const headers = { authorization: `Bearer ${token}` };
    return this.call(file, { params: { workspaceId }, headers, body: { generation, ...body } });
  }

  async report(messages: readonly ConversationMessage[], { generation, ...more }: Reporter = {}) {
    return this.callBack('callbacks/messages', { ...more, messages }, generation);
  }

  async ask(file: string, sessionId: string, more: Partial<TestRequest> = {}) {
    const params = { projectId: this.as.project.projectId, sessionId, ...more.params };
    return this.call(file, { cookies: [this.as.me.cookie], ...more, params });
  }

  /** All messages of a chat, page by page. */
  async walk(sessionId: string, query: Record<string, string> = {}) {
    const pages: Reported['messages'][] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = { ...query, ...(cursor ? { cursor } : {}) };
      const { body } = await this.ask('chats/messages', sessionId, { query: asked });
      pages.push(body.messages);
      cursor = body.nextCursor;
    }
    return pages;
  }

  /** The workspace is restarted on the same node. */
  async restart(): Promise<void> {
    this.workspace = { ...this.workspace, generation: this.workspace.generation + 1 };
    await putItem(this.table, workspaceItem(this.workspace));
  }
}
