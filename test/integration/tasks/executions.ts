import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { AgentSession, agentSessionKey } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { getItems } from '../../../lambdas/domain/records/get-items.js';
import { endRun } from '../../../lambdas/domain/tasks/end-run.js';
import { findTask } from '../../../lambdas/domain/tasks/find-task.js';
import { submitTask } from '../../../lambdas/domain/tasks/submit-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placedOn, type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { stepFunctions } from '../../../lambdas/shared/clients/step-functions.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { functionEnv } from '../../support/function-env.js';
import { loadRoute } from '../../support/invoke.js';
import type { SignedIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { walkSignIn } from '../../support/walk-sign-in.js';
import { aNode, putNode } from '../workspaces/builders.js';
import { loadStep, type RunStep } from '../workspaces/load-step.js';
import { NodeStub } from '../workspaces/node-stub.js';
import { agentAnswers } from './agent-answers.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

export const stepNames = ['create-workspace', 'look-at-workspace', 'start-agent', 'deliver-prompt'] as const;
const otherSteps = ['transfer-attachment', 'fail-task'] as const;
export type StepName = (typeof stepNames)[number] | (typeof otherSteps)[number];

const at = '2026-11-21T10:00:00.000Z';

interface Parts {
  readonly routes: TaskRoutes;
  readonly node: NodeStub;
  readonly octo: SignedIn;
  readonly codeHost: AsyncDisposable;
}

/** Executions of tasks, step by step as the saga makes them, on a node that is a stub. */
export class Executions implements AsyncDisposable {
  /** Names of the sagas that were ordered, which are others' to test. */
  readonly started: string[] = [];
  private readonly steps = new Map<StepName, RunStep>();

  private constructor(
    private readonly parts: Parts,
    /** A project of its own for each test. */
    public mine: TaskProject,
  ) {}

  static async start(files: readonly string[]): Promise<Executions> {
    const codeHost = await startCodeHost();
    const names = ['SECRET_ARN', 'URL', 'API_URL'].map((name) => `CODE_HOST_${name}`);
    const codeHostEnv = Object.fromEntries(names.map((name) => [name, process.env[name]]));
    const routes = await TaskRoutes.load(
      await emptyTable(),
      files.map((name) => `tasks/${name}`),
    );
    Object.assign(process.env, codeHostEnv);
    await new S3Client({ forcePathStyle: true }).send(
      new CreateBucketCommand({ Bucket: functionEnv.UPLOADS_BUCKET }),
    );
    const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
    const cookie = await walkSignIn(browser, 'octo');
    const octo = { cookie, sessionHash: '', userId: /=(\w+)\./.exec(cookie)?.[1] ?? '' };
    const node = await NodeStub.start();
    const executions = new Executions({ routes, node, octo, codeHost }, await routes.newProject(octo));
    for (const name of [...stepNames, ...otherSteps])
      executions.steps.set(name, await loadStep(`run-task/${name}`));
    return executions;
  }

  /** As before a test. */
  async reset(): Promise<void> {
    this.mine = await this.routes.newProject(this.parts.octo);
    this.node.requests = [];
    this.node.onRequest = async (request) => agentAnswers(request);
    this.started.length = 0;
  }

  get routes(): TaskRoutes {
    return this.parts.routes;
  }

  get node(): NodeStub {
    return this.parts.node;
  }

  get table(): Table {
    return this.routes.table;
  }

  /** Takes every order. */
  readonly quiet = {
    send: async ({ input }: { input: { name?: string } }) => {
      if (input.name) this.started.push(input.name);
      return {};
    },
  } as unknown as typeof stepFunctions;

  async submitted(more: Partial<Parameters<typeof submitTask>[1]> = {}): Promise<Task> {
    const { projectId, project } = this.mine;
    const { userId } = this.parts.octo;
    const asked = {
      project: { ...project, repository: 'octo/hello' },
      userId,
      actor: { actorType: 'user', actorId: userId } as const,
      message: 'Fix the door',
      request: {},
      newId,
      ...more,
    };
    const { taskId } = await submitTask(this.table, asked, new Date());
    return this.present({ projectId, taskId });
  }

  async present({ projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>): Promise<Task> {
    const task = await findTask(this.table, projectId, taskId);
    if (!task) throw new Error('The task is gone');
    return task;
  }

  async run(name: StepName, { projectId, taskId, run }: Task, more: object = {}): Promise<unknown> {
    return this.steps.get(name)?.({ projectId, taskId, run, ...more });
  }

  /** Everything up to and with this step. */
  async runUpTo(last: StepName): Promise<Task> {
    const task = await this.submitted();
    for (const name of stepNames) {
      if (name === 'look-at-workspace') await this.provision(task);
      await this.run(name, task);
      if (name === last) break;
    }
    return this.present(task);
  }

  /** What provision-workspace leaves behind. */
  async provision(task: Task): Promise<void> {
    const { workspaceId, userId } = await this.workspaceOf(task);
    const lastHeartbeatAt = new Date().toISOString();
    const { nodeId } = await putNode(this.table, aNode({ ...this.node.place, userId, lastHeartbeatAt }));
    await changeItem(this.table, {
      key: workspaceKey(workspaceId),
      set: { status: 'running', nodeId, dispatchedAt: at, readyAt: at, ...placedOn(nodeId, workspaceId) },
      when: { exists: true },
    });
  }

  /** What a submission says of a file that was uploaded for it. */
  async uploaded(content: string, filename = 'note.txt') {
    const file = { filename, size: Buffer.byteLength(content), contentType: 'text/plain' };
    const { status, body } = await this.mine.call('request-upload', { body: file });
    if (status !== 201) throw new Error(`No upload: ${JSON.stringify(body)}`);
    const { uploadId, uploadUrl, method, headers } = body as unknown as {
      readonly uploadId: string;
      readonly uploadUrl: string;
      readonly method: string;
      readonly headers: Record<string, string>;
    };
    const sent = await fetch(uploadUrl, { method, headers, body: content });
    if (!sent.ok) throw new Error(`The upload was answered ${sent.status}`);
    return { ...file, uploadId };
  }

  /** What the saga end-run does; false while it is too early. */
  end({ projectId, taskId, run }: Task, now = new Date()): Promise<boolean> {
    const { table, quiet: stepFunctions } = this;
    const parts = { table, stepFunctions, stopWorkspaceArn: 's', deleteWorkspaceArn: 'd', now };
    return endRun(parts, { projectId, taskId, run });
  }

  async workspaceOf(task: Task): Promise<Workspace> {
    const { workspaceId } = await this.present(task);
    const workspace = workspaceId ? await findWorkspace(this.table, workspaceId) : undefined;
    if (!workspace) throw new Error('The task has no workspace');
    return workspace;
  }

  async chatOf({ taskId }: Task): Promise<Chat> {
    return Chat.parse((await getItems(this.table, [chatKey(taskId)]))(chatKey(taskId)));
  }

  /** The agent session of a task, if one was made. */
  async sessionOf({ workspaceId, agentSessionId }: Task): Promise<AgentSession | undefined> {
    if (!workspaceId || !agentSessionId) return undefined;
    const key = agentSessionKey(workspaceId, agentSessionId);
    const item = (await getItems(this.table, [key]))(key);
    return item && AgentSession.parse(item);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node[Symbol.asyncDispose]();
    await this.parts.codeHost[Symbol.asyncDispose]();
  }
}
