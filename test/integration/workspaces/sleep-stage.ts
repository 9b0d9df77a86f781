import { createHash } from 'node:crypto';
import { CreateBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { Message, messageKey } from '../../../lambdas/domain/chats/message.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { claimSleep, type SleepClaim } from '../../../lambdas/domain/snapshots/claim-sleep.js';
import { sleepFailureMessage } from '../../../lambdas/domain/snapshots/failure-message.js';
import { findSnapshot } from '../../../lambdas/domain/snapshots/snapshot.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { SnapshotManifest } from '../../../protocol/snapshots.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { putChat, putMembership, readChat } from '../prompts/a-chat.js';
import { loadStep, type RunStep } from './load-step.js';
import { NodeStub } from './node-stub.js';

const s3 = new S3Client({ forcePathStyle: true });
const Bucket = functionEnv.UPLOADS_BUCKET;

const stepNames = [
  'capture',
  'verify-snapshot',
  'verify-recovery-point',
  'begin-sleep',
  'stop-unchanged',
  'end-sleep',
  'keep-running',
  'fail-sleep',
] as const;
type StepName = (typeof stepNames)[number];

const callbackNames = [
  'prepare',
  'progress',
  'failure',
  'upload-url',
  'complete',
  'restore',
  'restore-result',
] as const;
type CallbackName = (typeof callbackNames)[number];

export interface Sleeper {
  readonly workspace: Workspace;
  readonly chatId: string;
  readonly agentSessionId: string;
}

/** Contents of the replies of these routes. */
interface CallbackReply {
  readonly generation: number;
  readonly uploadUrl: string;
  readonly headers: Record<string, string>;
  readonly available: boolean;
  readonly error: string;
  readonly details: readonly { readonly field: string }[];
}

interface Captured {
  readonly home?: string | null;
  readonly wip?: string | null;
  readonly status?: SnapshotManifest['status'];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const artifact = (text: string | null) =>
  text === null ? null : { sizeBytes: Buffer.byteLength(text), sha256: sha256(text) };

/** Steps and callbacks of a sleep, over the emulator's table and bucket. */
export class SleepStage {
  readonly table: Table = sharedTable();
  /** Commands to Step Functions. */
  readonly answers: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[] = [];

  private constructor(
    readonly node: NodeStub,
    private readonly steps: ReadonlyMap<StepName, RunStep>,
    private readonly callbacks: ReadonlyMap<CallbackName, Invoke>,
  ) {}

  static async start(): Promise<SleepStage> {
    Object.assign(process.env, functionEnv);
    await s3.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
    const steps = new Map<StepName, RunStep>();
    for (const name of stepNames) steps.set(name, await loadStep(`sleep-workspace/${name}`));
    const callbacks = new Map<CallbackName, Invoke>();
    for (const name of callbackNames)
      callbacks.set(name, await loadRoute(`callbacks/session-snapshot-${name}`));
    const stage = new SleepStage(await NodeStub.start(), steps, callbacks);
    stage.node.onRequest = async ({ path, body }) =>
      path.endsWith('/hibernate')
        ? { status: 202, body: { operationId: body.operationId, accepted: true } }
        : undefined;
    const { stepFunctions } = await import('../../../lambdas/shared/clients/step-functions.js');
    stepFunctions.middlewareStack.add(
      (_next, { commandName = '' }) =>
        async ({ input }) => {
          stage.answers.push({ name: commandName, input: input as Record<string, unknown> });
          return { output: { $metadata: {} }, response: {} };
        },
      { step: 'initialize', name: 'record' },
    );
    return stage;
  }

  async sleeper(overrides: Partial<Workspace> = {}): Promise<Sleeper> {
    const { userId = newId() } = overrides;
    const [projectId, agentSessionId] = [newId(), newId()];
    const { workspace } = await placedWorkspace(
      this.table,
      { userId, projectId, status: 'running', agentSessions: new Set([agentSessionId]), ...overrides },
      this.node.place,
    );
    const { workspaceId, generation } = workspace;
    const chat = await putChat(this.table, {
      userId,
      projectId,
      workspaceId,
      agentSessionId,
      lastSequence: 3,
    });
    await putMembership(this.table, chat);
    const at = new Date().toISOString();
    const { chatId } = chat;
    const session = { agentSessionId, workspaceId, generation, userId, projectId, chatId } as const;
    const more = { status: 'running', label: null, agentType: 'claude-code', stoppedAt: null } as const;
    await putItem(this.table, agentSessionItem({ ...session, ...more, createdAt: at, updatedAt: at }));
    return { workspace, chatId, agentSessionId };
  }

  claim({ workspace }: Sleeper, by: 'person' | 'idle' | 'task' = 'idle', now = new Date()) {
    return claimSleep(this.table, { workspaceId: workspace.workspaceId, by, now, newId });
  }

  run(name: StepName, { workspace }: Sleeper, { claimId }: SleepClaim, more: object = {}) {
    const { workspaceId, generation } = workspace;
    const step = this.steps.get(name);
    if (!step) throw new Error(`${name} is not loaded`);
    return step({ workspaceId, generation, claimId, ...more });
  }

  /** As the node of the workspace. */
  async call(name: CallbackName, { workspace }: Sleeper, more: Parameters<Invoke>[0] = {}) {
    const { workspaceId, nodeId, generation } = workspace;
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    const headers = { authorization: `Bearer ${token}` };
    const invoke = this.callbacks.get(name);
    if (!invoke) throw new Error(`${name} is not loaded`);
    const reply = await invoke({ headers, ...more, params: { workspaceId, ...more.params } });
    // The tests check whether it exists.
    return { ...reply, body: reply.body as CallbackReply };
  }

  prepare(sleeper: Sleeper, { claimId }: SleepClaim) {
    const { chatId: chatSessionId, agentSessionId } = sleeper;
    const body = { chatSessionId, agentSessionId, operationId: claimId, runtime: 'vm' };
    return this.call('prepare', sleeper, { body: { ...body, directUploadSupported: true } });
  }

  manifest({ workspace, chatId, agentSessionId }: Sleeper, captured: Captured = {}): SnapshotManifest {
    const { home = 'home', wip = 'wip', status = 'available' } = captured;
    return {
      version: 1,
      chatSessionId: chatId,
      workspaceId: workspace.workspaceId,
      agentSessionId,
      createdAt: new Date().toISOString(),
      status,
      degradation: status === 'available' ? 'none' : 'entries-skipped',
      skipped: [],
      skippedCount: 0,
      artifacts: { home: artifact(home), wip: artifact(wip) },
      sections: [],
      baseCommit: 'a'.repeat(40),
      repositories: null,
      home: null,
      sessions: [
        {
          ...{ agentSessionId, chatSessionId: chatId, agentType: 'claude-code', acpSessionId: null },
          ...{ label: null, projectId: workspace.projectId, taskId: null, taskMode: null, workDir: null },
          ...{ settings: {}, lastSequence: 3, isPrompting: false },
        },
      ],
      terminals: [],
    };
  }

  async upload(sleeper: Sleeper, generation: number, name: 'home' | 'wip', content: string) {
    const { chatId: chatSessionId } = sleeper;
    const { body, status } = await this.call('upload-url', sleeper, {
      params: { artifact: name },
      body: { chatSessionId, generation, ...artifact(content) },
    });
    if (status !== 200) return status;
    const { uploadUrl, headers } = body;
    return (await fetch(uploadUrl, { method: 'PUT', headers, body: content })).status;
  }

  complete(sleeper: Sleeper, { claimId }: SleepClaim, generation: number, manifest: SnapshotManifest) {
    const body = { chatSessionId: sleeper.chatId, generation, operationId: claimId, manifest };
    return this.call('complete', sleeper, { body });
  }

  /** What the node does between `hibernate` and the result. Returns the generation. */
  async capture(sleeper: Sleeper, claim: SleepClaim, captured: Captured = {}): Promise<number> {
    const { home = 'home', wip = 'wip' } = captured;
    const { generation } = (await this.prepare(sleeper, claim)).body;
    for (const [name, content] of Object.entries({ home, wip }))
      if (content !== null) await this.upload(sleeper, generation, name as 'home' | 'wip', content);
    await this.complete(sleeper, claim, generation, this.manifest(sleeper, captured));
    return generation;
  }

  /** Capture and verification. */
  async captured(sleeper: Sleeper, claim: SleepClaim, captured: Captured = {}): Promise<void> {
    await this.run('capture', sleeper, claim, { taskToken: 'of-capture' });
    await this.capture(sleeper, claim, captured);
    await this.run('verify-snapshot', sleeper, claim);
  }

  /** The whole sleep without a failure. */
  async fallAsleep(sleeper: Sleeper, claim: SleepClaim): Promise<void> {
    await this.captured(sleeper, claim);
    await this.run('begin-sleep', sleeper, claim, { isFallback: false });
    await this.run('stop-unchanged', sleeper, claim, { isFallback: false });
    await this.run('end-sleep', sleeper, claim, { nodeConfirmed: true });
  }

  /** As the saga does with an error of a step. */
  fail(sleeper: Sleeper, claim: SleepClaim, error: string, isFallback = false) {
    const { message } = sleepFailureMessage(error, 'it failed');
    return this.run('fail-sleep', sleeper, claim, { error, cause: message, isFallback });
  }

  row = ({ workspace }: Sleeper) => findWorkspace(this.table, workspace.workspaceId);
  record = ({ workspace }: Sleeper) => findSnapshot(this.table, workspace.workspaceId);
  chat = ({ chatId }: Sleeper) => readChat(this.table, chatId);

  async objects({ workspace }: Sleeper): Promise<readonly string[]> {
    const Prefix = `snapshots/${workspace.workspaceId}/`;
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
    return Contents.map(({ Key = '' }) => Key.slice(Prefix.length)).toSorted();
  }

  async removeObject({ workspace }: Sleeper, name: string): Promise<void> {
    const Key = `snapshots/${workspace.workspaceId}/${name}`;
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  }

  async lastMessage(sleeper: Sleeper): Promise<Message> {
    const { chatId, lastSequence } = await this.chat(sleeper);
    const key = messageKey(chatId, lastSequence);
    return Message.parse(await getItem(this.table, key));
  }
}
