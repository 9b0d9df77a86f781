import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { memberItem } from '../../../lambdas/domain/projects/member.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { newTask, taskItem } from '../../../lambdas/domain/tasks/task.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type {
  ResourceChunkDetail,
  ResourceHistoryAnswer,
  ResourceTimeline,
} from '../../../protocol/resource-history-reads.js';
import { type CallCount, callBudgetOf, countCalls } from '../../support/count-calls.js';
import { packed } from '../../support/empty-chunk.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestReply, type TestRequest } from '../../support/invoke.js';
import { aProject, putItem } from '../../support/project.js';
import { aPerson, type Person } from '../../support/project-members.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { aChat } from '../prompts/a-chat.js';

const s3 = new S3Client({ forcePathStyle: true });
const Bucket = functionEnv.UPLOADS_BUCKET;

export const begin = Date.parse('2026-11-26T08:00:00.000Z');
export const chunkMs = 15 * 60_000;

const readRoutes = {
  session: 'resource-history/of-session',
  task: 'resource-history/of-task',
  workspace: 'resource-history/of-workspace',
  timeline: 'resource-history/timeline',
  chunk: 'resource-history/timeline-chunk',
} as const;

/** The upload of a chunk with `samples` samples; `number` counts its time and its sequence. */
export function uploadOf(workspaceId: string, number: number, more: Record<string, unknown> = {}) {
  const startedAt = begin + number * chunkMs;
  const { content = contentOf(startedAt), ...fields } = more;
  return {
    workspaceId,
    sourceVersion: 1,
    chunkSequence: number,
    startedAt,
    endedAt: startedAt + chunkMs,
    sampleCount: (content as { samples: readonly unknown[] }).samples.length,
    ...packed(content),
    completeness: { status: 'complete', source: 'cgroup-v2' },
    summary: { memoryPeakBytes: 1_000 + number, memoryMeanBytes: 500, ioReadBytes: 10, oomCount: 0 },
    runtime: 'vm',
    ...fields,
  };
}

export function contentOf(startedAt: number, samples = 180) {
  return {
    version: 1,
    samples: Array.from({ length: samples }, (_, index) => ({
      t: startedAt + (index + 1) * 5_000,
      intervalMillis: 5_000,
      cpuMillis: 2_500,
      memoryBytes: 700_000_000 + index * 4_096,
    })),
    toolSpans: [{ id: '9f86d081884c7d65', kind: 'execute', toolName: 'Bash', startedAt: startedAt + 1 }],
  };
}

/** A workspace with a task's agent in it, and the routes of its history over their own table. */
export class HistoryStage {
  readonly calls: CallCount;

  private constructor(
    readonly table: Table,
    private readonly invokes: ReadonlyMap<string, Invoke>,
    readonly people: { readonly owner: Person; readonly outsider: Person },
    readonly projectId: string,
  ) {
    this.calls = countCalls(table.client);
  }

  static async start(): Promise<HistoryStage> {
    await s3.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
    const { name } = await emptyTable();
    Object.assign(process.env, functionEnv, { TABLE_NAME: name });
    const { table } = await import('../../../lambdas/shared/clients/documents.js');
    const invokes = new Map<string, Invoke>();
    for (const file of ['callbacks/workspace-resource-history', ...Object.values(readRoutes)])
      invokes.set(file, await loadRoute(file));
    const [owner, outsider] = [await aPerson(table), await aPerson(table)];
    const project = aProject({ userId: owner.userId });
    const { projectId, createdAt: joinedAt } = project;
    await putItem(table, projectItem(project));
    const member = { projectId, userId: owner.userId, role: 'viewer', status: 'active', project } as const;
    await putItem(table, memberItem({ ...member, joinedAt }));
    return new HistoryStage(table, invokes, { owner, outsider }, projectId);
  }

  /** A chat that runs in a new workspace of the project, of a task with `isTask`. */
  async chat({ chatId = newId(), isTask = false, more = {} as Partial<Workspace> } = {}) {
    const { projectId, table } = this;
    const { userId } = this.people.owner;
    const task = isTask ? { taskId: chatId } : {};
    const { workspace } = await placedWorkspace(table, {
      ...{ userId, projectId, status: 'running', ...task },
      ...more,
    });
    const { workspaceId } = workspace;
    await putItem(table, chatItem(aChat({ chatId, projectId, userId, workspaceId })));
    const [profileId, at] = [newId(), new Date().toISOString()];
    if (isTask) {
      const made = newTask({ taskId: chatId, projectId, userId, title: 'Paint' }, new Date());
      await putItem(table, taskItem({ ...made, agentProfileId: profileId }));
    }
    const session = { agentSessionId: newId(), workspaceId, generation: 1, userId, projectId, chatId };
    const rest = { status: 'running', label: null, agentType: 'claude-code', stoppedAt: null } as const;
    await putItem(table, agentSessionItem({ ...session, ...rest, createdAt: at, updatedAt: at }));
    return { chatId, workspace, workspaceId, profileId };
  }

  /** As the workspace does it. */
  async upload(workspace: Workspace, body: object, { generation = 1, projectId = this.projectId } = {}) {
    const claims = { sub: workspace.workspaceId, node: workspace.nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    const headers = { authorization: `Bearer ${token}` };
    this.calls.reset();
    return this.invoke('callbacks/workspace-resource-history', { params: { projectId }, headers, body });
  }

  async ask(kind: keyof typeof readRoutes, params: Record<string, string>, more: Partial<TestRequest> = {}) {
    const { projectId, people } = this;
    this.calls.reset();
    const request = { params: { projectId, ...params }, cookies: people.owner.cookies, ...more };
    return this.invoke(readRoutes[kind], request);
  }

  /** The answer of a read, within its budget of table calls. */
  async read(kind: 'chunk', params: Record<string, string>): Promise<ResourceChunkDetail>;
  async read(kind: 'timeline', params: Record<string, string>): Promise<ResourceTimeline>;
  async read(
    kind: 'session' | 'task' | 'workspace',
    params: Record<string, string>,
    query?: Record<string, string>,
  ): Promise<ResourceHistoryAnswer>;
  async read(kind: keyof typeof readRoutes, params: Record<string, string>, query = {}): Promise<unknown> {
    const { status, body } = await this.ask(kind, params, { query });
    if (status !== 200) throw new Error(`${kind} answered ${status}: ${JSON.stringify(body)}`);
    if (this.calls.names.length > callBudgetOf(readRoutes[kind], 'GET'))
      throw new Error(`${kind} exceeds its budget: ${this.calls.names.join()}`);
    return body;
  }

  private invoke(file: string, request: TestRequest): Promise<TestReply> {
    const invoke = this.invokes.get(file);
    if (!invoke) throw new Error(`${file} is not loaded`);
    return invoke(request);
  }

  /** Everything that is stored: each row, and the bytes of each object of the project. */
  async stored(): Promise<{ readonly rows: string; readonly objects: ReadonlyMap<string, Buffer> }> {
    const { Items = [] } = await this.table.client.send(new ScanCommand({ TableName: this.table.name }));
    const Prefix = `resource-history/v1/projects/${this.projectId}/`;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
    const objects = new Map<string, Buffer>();
    for (const { Key = '' } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      objects.set(Key, Buffer.from((await Body?.transformToByteArray()) ?? []));
    }
    return { rows: JSON.stringify(Items), objects };
  }
}
