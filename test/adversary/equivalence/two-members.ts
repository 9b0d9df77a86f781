import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { rateWindowKey, windowStart } from '../../../lambdas/domain/rate-limits/count-request.js';
import { type RateLimitName, rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type Agent, anAgent } from '../../integration/mcp/an-agent.js';
import { type ToolAnswer, toolClient } from '../../integration/mcp/tool-client.js';
import { readChat } from '../../integration/prompts/a-chat.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestReply, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { type SignedIn, signIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';

export interface Someone extends SignedIn {
  readonly agent: Agent;
}

interface Loaded {
  readonly table: Table;
  readonly invokes: ReadonlyMap<string, Invoke>;
}

interface Members {
  readonly project: ReturnType<typeof aProject>;
  readonly alice: Someone;
  readonly bob: Someone;
}

const ofPerson = Object.values(rateLimits).flatMap(({ name, per }) => (per === 'person' ? [name] : []));

/** Two members of a project, each with a running task and its agent, and the routes they call. */
export class TwoMembers {
  readonly table: Table;
  readonly project: ReturnType<typeof aProject>;
  readonly alice: Someone;
  readonly bob: Someone;
  private readonly invokes: ReadonlyMap<string, Invoke>;

  private constructor({ table, invokes }: Loaded, { project, alice, bob }: Members) {
    this.table = table;
    this.invokes = invokes;
    this.project = project;
    this.alice = alice;
    this.bob = bob;
  }

  static async load(files: readonly string[]): Promise<TwoMembers> {
    Object.assign(process.env, functionEnv, { TABLE_NAME: (await emptyTable()).name });
    await TestWakeUpQueues.create();
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const invokes = new Map<string, Invoke>();
    for (const file of new Set([...files, 'mcp/call'])) invokes.set(file, await loadRoute(file));
    return TwoMembers.over({ table, invokes });
  }

  /** Two others, of another project, over the same routes. */
  again(): Promise<TwoMembers> {
    return TwoMembers.over({ table: this.table, invokes: this.invokes });
  }

  private static async over(loaded: Loaded): Promise<TwoMembers> {
    const { table } = loaded;
    const project = aProject();
    const someone = async (userId: string): Promise<Someone> => {
      const signedIn = await signIn(table, { userId });
      return { ...signedIn, agent: await anAgent(table, new Date(), { project, userId, task: { run: 1 } }) };
    };
    const [alice, bob] = await Promise.all([someone(project.userId), someone(newId())]);
    return new TwoMembers(loaded, { project, alice, bob });
  }

  tool(caller: Pick<Someone, 'agent'>, name: string, args: object = {}): Promise<ToolAnswer> {
    return toolClient(this.invokeOf('mcp/call'), caller.agent)(name, args);
  }

  /** The same, of a token that may have ended. */
  async send(caller: Pick<Someone, 'agent'>, name: string, args: object) {
    const { status, body } = await this.invokeOf('mcp/call')({
      headers: { authorization: `Bearer ${caller.agent.secret}` },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    const { error, result } = body as { readonly error?: unknown; readonly result?: { isError?: boolean } };
    return { status, error, isError: result?.isError === true };
  }

  async http(caller: SignedIn, file: string, { params, ...more }: TestRequest = {}): Promise<TestReply> {
    return this.invokeOf(file)({
      cookies: [caller.cookie],
      params: { projectId: this.project.projectId, ...params },
      ...more,
    });
  }

  /** A call of nobody who is signed in. */
  plain(file: string, request: TestRequest): Promise<TestReply> {
    return this.invokeOf(file)(request);
  }

  private invokeOf(file: string): Invoke {
    const invoke = this.invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke;
  }

  putMember({ userId }: SignedIn, change: Partial<Parameters<typeof memberItem>[0]>) {
    const { projectId, createdAt: joinedAt } = this.project;
    const member = { projectId, userId, role: 'maintainer', status: 'active', joinedAt } as const;
    return putItem(this.table, memberItem({ ...member, project: this.project, ...change }));
  }

  chatOf({ agent }: Someone): Promise<Chat> {
    return readChat(this.table, agent.draft.chatSessionId);
  }

  /** Every record of these partitions, to compare before and after. */
  async records(...partitions: readonly string[]): Promise<readonly Record<string, unknown>[]> {
    const pages = await Promise.all(
      partitions.map((pk) =>
        this.table.client.send(
          new QueryCommand({
            TableName: this.table.name,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': pk },
          }),
        ),
      ),
    );
    return pages.flatMap(({ Items = [] }) => Items);
  }

  /** What was counted of somebody so far, by the limit of a person. */
  async counters({ userId }: SignedIn): Promise<ReadonlyMap<string, number>> {
    const counters = new Map<string, number>();
    for (const { pk, count } of await this.records(...ofPerson.map((name) => `RATE#${name}#${userId}`))) {
      const name = String(pk).split('#')[1] ?? '';
      counters.set(name, (counters.get(name) ?? 0) + Number(count));
    }
    return counters;
  }

  /** Uses up somebody's present window, and the next one, but for so many requests. */
  async spend(name: RateLimitName, { userId }: Pick<SignedIn, 'userId'>, left = 0): Promise<void> {
    const limit = rateLimits[name];
    const now = windowStart(limit, new Date());
    for (const start of [now, now + limit.windowSeconds])
      await putItem(this.table, {
        ...rateWindowKey(limit, userId, start),
        ...{ entity: 'rate-window', count: limit.limit - left },
      });
  }

  /** All that the session of somebody's agent is made of. */
  sessionRecords({ agent }: Someone) {
    return this.records(`CHAT#${agent.draft.chatSessionId}`);
  }
}
