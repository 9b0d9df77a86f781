import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Chat, type ChatActivity, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { getItems } from '../../../lambdas/domain/records/batch-items.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { endRun } from '../../../lambdas/domain/tasks/end-run.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { submitTask } from '../../../lambdas/domain/tasks/submit-task.js';
import type { Task } from '../../../lambdas/domain/tasks/task.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placedOn, type Workspace, workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import type { stepFunctions } from '../../../lambdas/shared/clients/step-functions.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { rootLog } from '../../../lambdas/shared/log.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type RunningCodeHost, startCodeHost } from '../../support/code-host.js';
import { commitFile } from '../../support/commit-file.js';
import { functionEnv } from '../../support/function-env.js';
import { loadRoute } from '../../support/invoke.js';
import { aNode, limits, putNode } from '../../support/records.js';
import { allSagas } from '../../support/sagas.js';
import type { SignedIn } from '../../support/sign-in.js';
import { emptyTable } from '../../support/table.js';
import { testObjects } from '../../support/uploads.js';
import { walkSignIn } from '../../support/walk-sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { loadStep, type RunStep } from '../workspaces/load-step.js';
import { type NodeRequest, NodeStub } from '../workspaces/node-stub.js';
import { type TaskProject, TaskRoutes } from './task-project.js';

/** In the order in which the saga takes them. */
export const stepNames = [
  'create-workspace',
  'check-workspace',
  'create-agent-session',
  'deliver-prompt',
] as const;
const otherSteps = ['transfer-attachment', 'fail-task'] as const;
type StepName = (typeof stepNames)[number] | (typeof otherSteps)[number];

const at = '2026-11-21T10:00:00.000Z';

/**
 * Executions of tasks, step by step, in projects of one person; their workspaces are on one node.
 */
export class TaskRuns implements AsyncDisposable {
  mine: TaskProject;
  /** Names of the sagas that were started. */
  readonly started: string[] = [];
  /** Accepts every start without running a saga. */
  readonly stepFunctions = {
    send: async ({ input }: { input: { name?: string } }) => {
      if (input.name) this.started.push(input.name);
      return {};
    },
  } as unknown as typeof stepFunctions;

  private constructor(
    readonly routes: TaskRoutes,
    readonly node: NodeStub,
    private readonly owner: SignedIn,
    private readonly parts: {
      readonly firstProject: TaskProject;
      readonly steps: ReadonlyMap<StepName, RunStep>;
      readonly codeHost: RunningCodeHost;
    },
  ) {
    this.mine = parts.firstProject;
  }

  /** `more`: routes beside those of tasks. */
  static async start(more: readonly string[] = ['callbacks/node-acp-heartbeat']): Promise<TaskRuns> {
    const codeHost = await startCodeHost();
    const names = ['SECRET_ARN', 'URL', 'API_URL'].map((name) => `CODE_HOST_${name}`);
    const codeHostEnv = Object.fromEntries(names.map((name) => [name, process.env[name]]));
    const files = ['cancel', 'close', 'status-callback', 'request-upload'].map((name) => `tasks/${name}`);
    const routes = await TaskRoutes.load(await emptyTable(), [...files, ...more], codeHostEnv);
    await new S3Client({ forcePathStyle: true }).send(
      new CreateBucketCommand({ Bucket: functionEnv.UPLOADS_BUCKET }),
    );
    const owner = await signedInAs('octo');
    const steps = new Map<StepName, RunStep>();
    for (const name of [...stepNames, ...otherSteps]) steps.set(name, await loadStep(`run-task/${name}`));
    const firstProject = await routes.newProject(owner);
    return new TaskRuns(routes, await NodeStub.start(), owner, { firstProject, steps, codeHost });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.node[Symbol.asyncDispose]();
    await this.parts.codeHost[Symbol.asyncDispose]();
  }

  /** Another project, and a node without requests. */
  async reset(): Promise<void> {
    this.mine = await this.routes.newProject(this.owner);
    this.node.requests = [];
    this.node.onRequest = async (request) => answerAsNode(request);
    this.started.length = 0;
  }

  get table(): Table {
    return this.routes.table;
  }

  /** Folder of the bare repositories of the code host. */
  get repositories(): string {
    return this.parts.codeHost.repositories;
  }

  /** A person of the code host. */
  signedIn(login: string): Promise<SignedIn> {
    return signedInAs(login);
  }

  async submitted(more: Partial<Parameters<typeof submitTask>[1]> = {}): Promise<Task> {
    const { projectId, project } = this.mine;
    const { userId } = this.owner;
    const asked = {
      project: { ...project, repository: 'octo/hello' },
      userId,
      actor: { actorType: 'user', actorId: userId } as const,
      message: 'Fix the door',
      request: {},
      offer: limits.offer,
      newId,
      ...more,
    };
    const { taskId } = await submitTask(this.table, asked, new Date());
    return this.present({ projectId, taskId });
  }

  /** Commits the dev container of the repository, under this name if it has one. */
  commitDevContainer(configuration: object, name = ''): void {
    commitFile(join(this.parts.codeHost.repositories, 'octo', 'hello.git'), {
      path: join('.devcontainer', name, 'devcontainer.json'),
      content: JSON.stringify(configuration),
    });
  }

  /** The attachment entry of a submission, after the upload of the file. */
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

  async present({ projectId, taskId }: Pick<Task, 'projectId' | 'taskId'>): Promise<Task> {
    const task = await findTask(this.table, projectId, taskId);
    if (!task) throw new Error('The task is gone');
    return task;
  }

  async step(name: StepName, { projectId, taskId, run }: Task, more: object = {}): Promise<unknown> {
    return this.parts.steps.get(name)?.({ projectId, taskId, run, ...more });
  }

  async workspaceOf(task: Task): Promise<Workspace> {
    const { workspaceId } = await this.present(task);
    const workspace = workspaceId ? await findWorkspace(this.table, workspaceId) : undefined;
    if (!workspace) throw new Error('The task has no workspace');
    return workspace;
  }

  /** The records that provision-workspace leaves. */
  async provision(task: Task): Promise<void> {
    const { workspaceId, userId } = await this.workspaceOf(task);
    const { nodeId } = await putNode(
      this.table,
      aNode({ ...this.node.place, userId, lastHeartbeatAt: new Date().toISOString() }),
    );
    await changeItem(this.table, {
      key: workspaceKey(workspaceId),
      set: { status: 'running', nodeId, dispatchedAt: at, readyAt: at, ...placedOn(nodeId, workspaceId) },
      when: { exists: true },
    });
  }

  /** Runs all steps up to and including this one. */
  async runUpTo(last: StepName, more: Parameters<TaskRuns['submitted']>[0] = {}): Promise<Task> {
    const task = await this.submitted(more);
    for (const name of stepNames) {
      if (name === 'check-workspace') await this.provision(task);
      await this.step(name, task);
      if (name === last) break;
    }
    return this.present(task);
  }

  async chatOf({ taskId }: Pick<Task, 'taskId'>): Promise<Chat> {
    return Chat.parse((await getItems(this.table, [chatKey(taskId)]))(chatKey(taskId)));
  }

  /** Sets the last reported activity of the agent. */
  async setActivity({ taskId }: Task, activity: ChatActivity['activity'], activityAt: string): Promise<void> {
    const report = { activity, activityAt, promptStartedAt: activity === 'prompting' ? 1 : null };
    await changeItem(this.table, {
      key: chatKey(taskId),
      set: { activity: { ...report, agentType: null, restartCount: 0, statusError: null } },
      when: { exists: true },
    });
  }

  end({ projectId, taskId, run }: Task, now = new Date()): Promise<boolean> {
    const { table, stepFunctions } = this;
    return endRun(
      {
        table,
        stepFunctions,
        sagas: allSagas(stepFunctions),
        now,
        newId,
        kept: { keys: signingKeys(), objects: testObjects(), log: rootLog },
      },
      { projectId, taskId, run },
    );
  }
}

async function signedInAs(login: string): Promise<SignedIn> {
  const browser = { signIn: await loadRoute('auth/sign-in'), callback: await loadRoute('auth/callback') };
  const cookie = await walkSignIn(browser, login);
  return { cookie, sessionHash: '', userId: /=(\w+)\./.exec(cookie)?.[1] ?? '' };
}

/** What the agent of a node says of agent sessions. */
export function answerAsNode({ method, path, body }: NodeRequest) {
  if (path.endsWith('/agent-capabilities')) {
    return {
      status: 200,
      body: {
        protocolVersion: 1,
        runtimeIdentity: 'one',
        promptReceipts: { supported: true, lookup: true, states: ['accepted'] },
      },
    };
  }
  if (path.endsWith('/start')) {
    const receipt = { deliveryId: body.deliveryId, state: 'in_flight', runtimeIdentity: 'one' };
    return {
      status: 202,
      body: { status: 'accepted', sessionId: 's', receipt: { ...receipt, acceptedAt: 1, completedAt: null } },
    };
  }
  if (method !== 'POST' || !path.endsWith('/agent-sessions')) return undefined;
  return {
    status: 201,
    body: {
      ...{ id: body.sessionId, workspaceId: newId(), status: 'running', hostStatus: 'idle', viewerCount: 0 },
      ...{ label: null, agentType: null, acpSessionId: null, lastPrompt: null, errorMessage: null },
      ...{ createdAt: at, updatedAt: at, stoppedAt: null, suspendedAt: null },
    },
  };
}
