import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { EvictionReport } from '../../../protocol/eviction.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { type Sleeper, SleepStage } from '../workspaces/sleep-stage.js';

interface Refusal {
  readonly error: string;
}

interface Captured {
  readonly claimId: string;
  readonly generation: number;
}

const gib = 2 ** 30;

/** An out-of-memory container as its node reports it. */
export const outOfMemory = {
  reason: 'oom_kill',
  cause: {
    usedBytes: 4 * gib,
    limitBytes: 4 * gib,
    largestProcess: { name: 'node', bytes: Math.round(3.1 * gib) },
  },
} as const satisfies Partial<EvictionReport>;

/** What a node does to evict a workspace, over the emulator's table and bucket. */
export class EvictionStage {
  private constructor(
    readonly sleeping: SleepStage,
    private readonly eviction: Invoke,
  ) {}

  static async start(): Promise<EvictionStage> {
    return new EvictionStage(await SleepStage.start(), await loadRoute('callbacks/workspace-eviction'));
  }

  get table() {
    return this.sleeping.table;
  }

  /** A running workspace with a chat, on the node of the stage. */
  running(overrides: Partial<Workspace> = {}): Promise<Sleeper> {
    return this.sleeping.sleeper(overrides);
  }

  prepare(sleeper: Sleeper, operationId: string, eviction: object = {}) {
    const { chatId: chatSessionId, agentSessionId, workspace } = sleeper;
    const { evictionGeneration } = workspace;
    return this.sleeping.call('prepare', sleeper, {
      body: {
        ...{ chatSessionId, agentSessionId, operationId, runtime: 'vm', directUploadSupported: true },
        eviction: { reason: 'memory_pressure', evictionGeneration, ...eviction },
      },
    });
  }

  complete(sleeper: Sleeper, { claimId, generation }: Captured, manifest = this.sleeping.manifest(sleeper)) {
    const claim = { claimId, generation: 1, chatSessionId: sleeper.chatId };
    return this.sleeping.complete(sleeper, claim, generation, manifest);
  }

  fail(sleeper: Sleeper, { claimId, generation }: Captured) {
    const { chatId: chatSessionId } = sleeper;
    const body = { chatSessionId, generation, operationId: claimId, error: 'The disk is full' };
    return this.sleeping.call('failure', sleeper, { body });
  }

  /** Its claim, with both objects stored. */
  async uploaded(sleeper: Sleeper, claimId = newId()): Promise<Captured> {
    const { generation } = (await this.prepare(sleeper, claimId)).body;
    for (const name of ['home', 'wip'] as const) await this.sleeping.upload(sleeper, generation, name, name);
    return { claimId, generation };
  }

  /** Captured and verified; its container is not stopped yet. */
  async captured(sleeper: Sleeper): Promise<Captured> {
    const captured = await this.uploaded(sleeper);
    const { status } = await this.complete(sleeper, captured);
    if (status !== 200) throw new Error(`complete answered ${status}`);
    return captured;
  }

  /** As the node of the workspace, with its token. */
  async report(sleeper: Sleeper, change: Partial<EvictionReport> = {}, projectId?: string) {
    const { workspaceId, nodeId, generation, evictionGeneration } = sleeper.workspace;
    const claims = { sub: workspaceId, node: nodeId ?? '', generation };
    const { token } = await issueToken(signingKeys(), 'workspaceCallback', { claims, now: new Date() });
    const reply = await this.eviction({
      params: { workspaceId, projectId: projectId ?? sleeper.workspace.projectId ?? '' },
      headers: { authorization: `Bearer ${token}` },
      body: {
        ...{ nodeId, workspaceId, reason: 'memory_pressure', evictionGeneration },
        ...{ snapshotCaptured: true, containerStopped: true },
        ...change,
      },
    });
    // The tests check whether it exists.
    return { ...reply, body: reply.body as Refusal };
  }

  async evicted(sleeper: Sleeper, change: Partial<EvictionReport> = {}): Promise<void> {
    await this.captured(sleeper);
    const { status } = await this.report(sleeper, change);
    if (status !== 204) throw new Error(`The report was answered ${status}`);
  }

  async change({ workspace }: Sleeper, set: Partial<Workspace>): Promise<void> {
    const { workspaceId } = workspace;
    await changeWorkspace(this.table, { workspaceId, set, now: new Date() });
  }

  row = async (sleeper: Sleeper): Promise<Workspace> => {
    const found = await this.sleeping.row(sleeper);
    if (!found) throw new Error('The workspace is gone');
    return found;
  };

  record = (sleeper: Sleeper) => this.sleeping.record(sleeper);
  chat = (sleeper: Sleeper) => this.sleeping.chat(sleeper);
}
