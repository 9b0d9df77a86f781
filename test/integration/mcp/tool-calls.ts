import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { type Task, taskItem } from '../../../lambdas/domain/tasks/task.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestReply } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { TestWakeUpQueues } from '../../support/queues.js';
import { emptyTable } from '../../support/table.js';
import { type Agent, type AgentOf, anAgent } from './an-agent.js';
import { type ToolAnswer, toolClient } from './tool-client.js';

/** The MCP route with its own table, and the agent that calls it. */
export class ToolCalls {
  private constructor(
    readonly table: Table,
    readonly calls: CallCount,
    private readonly parts: {
      readonly invoke: Invoke;
      readonly now: Date;
      readonly queues: TestWakeUpQueues;
    },
    public agent: Agent,
  ) {}

  static async load(): Promise<ToolCalls> {
    const { name } = await emptyTable();
    Object.assign(process.env, functionEnv, { TABLE_NAME: name });
    const queues = await TestWakeUpQueues.create();
    const invoke = await loadRoute('mcp/call');
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const now = new Date();
    const agent = await anAgent(table, now, { task: {} });
    return new ToolCalls(table, countCalls(table.client), { invoke, now, queues }, agent);
  }

  get queues(): TestWakeUpQueues {
    return this.parts.queues;
  }

  /** Switches to another agent; by default one of a task in a new project. */
  async as(of: AgentOf = { task: {} }): Promise<Agent> {
    this.agent = await anAgent(this.table, this.parts.now, of);
    this.calls.reset();
    return this.agent;
  }

  /** An agent of another task of the same project. */
  another(): Promise<Agent> {
    return anAgent(this.table, this.parts.now, { project: this.agent.project, task: {} });
  }

  call(name: string, args: object = {}, agent = this.agent): Promise<ToolAnswer> {
    return toolClient(this.parts.invoke, agent)(name, args);
  }

  /** Sends a raw protocol message. */
  send(method: string, params: object = {}): Promise<TestReply> {
    return this.parts.invoke({
      headers: { authorization: `Bearer ${this.agent.secret}` },
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
  }

  async dispatch(more: object = {}): Promise<Record<string, unknown>> {
    return (await this.call('dispatch_task', { description: 'Paint the gate', ...more })).value;
  }

  async read(taskId: unknown): Promise<Task> {
    const task = await findTask(this.table, this.agent.project.projectId, String(taskId));
    if (!task) throw new Error('There is no such task');
    return task;
  }

  own(): Promise<Task> {
    return this.read(this.agent.draft.taskId);
  }

  async put(task: Task, change: Partial<Task> = {}): Promise<void> {
    await putItem(this.table, taskItem({ ...task, ...change }));
  }

  async promptsOf(chatId: unknown): Promise<readonly Record<string, unknown>[]> {
    const { Items = [] } = await this.table.client.send(
      new QueryCommand({
        TableName: this.table.name,
        KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompts)',
        ExpressionAttributeValues: { ':chat': `CHAT#${chatId}`, ':prompts': 'PROMPT#' },
      }),
    );
    return Items;
  }
}
