import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { findControlGroup } from '../../../agent/src/resource-history/control-group.js';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { changeNode } from '../../../lambdas/domain/nodes/change-node.js';
import { requestedReservation } from '../../../lambdas/domain/nodes/reservation.js';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { requestWake } from '../../../lambdas/domain/wake/request-wake.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { claimRestart } from '../../../lambdas/domain/workspaces/restarting.js';
import { claimStop, markStopped } from '../../../lambdas/domain/workspaces/stopping.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { docker, holdMemory, runOutOfMemory } from '../../integration/agent/docker-engine.js';
import { putChat, putMembership } from '../../integration/prompts/a-chat.js';
import type { Sleeper } from '../../integration/workspaces/sleep-stage.js';
import { aProject, putItem } from '../../support/project.js';
import { aNode, limits, pendingWorkspace, putNode } from '../../support/records.js';
import { until } from '../../support/until.js';
import { stateScript } from '../sleep/random-work.js';
import { EvictionPlane } from './eviction-plane.js';
import { NemesisNode } from './nemesis-node.js';

const memoryMb = 512;
const capacity = 8;
const roomy = { ...limits, nodeCapacity: capacity };
const repository = '/workspaces/full';

type StepName = Parameters<EvictionPlane['run']>[0];
type StepInput = Parameters<EvictionPlane['run']>[1];

/** Two nodes on one engine with real workspaces, and the control plane that they report to. */
export class EvictionTarget implements AsyncDisposable {
  readonly sleepers: Sleeper[] = [];
  private readonly userId = newId();

  private constructor(
    readonly plane: EvictionPlane,
    readonly nodes: readonly NemesisNode[],
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async start(workspaces: number, bundle: string): Promise<EvictionTarget> {
    await using stack = new AsyncDisposableStack();
    const plane = stack.use(await EvictionPlane.start());
    const nodes = [newId(), newId()].map((id) => NemesisNode.start(id, plane, bundle));
    const started = await Promise.all(nodes);
    for (const node of started) stack.use(node);
    const target = new EvictionTarget(plane, started, stack.move());
    await target.putNodes();
    for (let index = 0; index < workspaces; index += 1) await target.open();
    return target;
  }

  get stage() {
    return this.plane.stage;
  }

  nodeOf(nodeId: string | null): NemesisNode {
    const node = this.nodes.find((one) => one.nodeId === nodeId);
    if (!node) throw new Error(`No node ${nodeId}`);
    return node;
  }

  /** Runs a script in the repository of a workspace. */
  inside({ workspace }: Sleeper, script: string): string {
    const name = `svc-ws-${workspace.workspaceId}`;
    const run = spawnSync('docker', ['exec', '-w', repository, '-i', name, 'sh'], {
      input: script,
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`A script in ${name} failed: ${run.stderr}`);
    return run.stdout;
  }

  /** Everything that an eviction must keep. */
  state(sleeper: Sleeper): string {
    return this.inside(
      sleeper,
      `set -- /tmp/state\n${stateScript.replace(/exit 0\s*$/, '')}\ncat /tmp/state`,
    );
  }

  /**
   * Holds memory until the container ends. Resolves when the workspace holds it: only then is it
   * the largest of its node.
   */
  async hog(sleeper: Sleeper, megabytes: number): Promise<void> {
    const { id = '', name } = this.container(sleeper);
    docker('exec', '-d', name, 'sh', '-c', holdMemory(megabytes));
    await until(`${name} holds ${megabytes} MB`, () => {
      const { memoryBytes = 0 } = findControlGroup(id)?.read() ?? {};
      return memoryBytes >= megabytes * 2 ** 20 || undefined;
    });
  }

  runOutOfMemory({ workspace }: Sleeper): void {
    runOutOfMemory(`svc-ws-${workspace.workspaceId}`, memoryMb);
  }

  container({ workspace }: Sleeper) {
    const name = `svc-ws-${workspace.workspaceId}`;
    const format = '{{.Id}} {{.State.Running}} {{.State.StartedAt}}';
    const [id, isRunning, startedAt] = docker('inspect', '-f', format, name).split(' ');
    return { id, name, isRunning: isRunning === 'true', startedAt };
  }

  /** Asks several times at once, as messages and people do. Returns the starts that it had. */
  async wake(sleeper: Sleeper): Promise<number> {
    const { workspaceId } = sleeper.workspace;
    const before = (await this.stage.row(sleeper)).generation;
    const ask = () => requestWake(this.stage.table, { workspaceId, now: new Date(), newId });
    await Promise.all([ask(), ask(), ask()]);
    return (await this.stage.row(sleeper)).generation - before;
  }

  /** As the saga provision-workspace does. */
  async provision(sleeper: Sleeper, isRestored: boolean): Promise<void> {
    // A node whose heartbeats end, or that has not confirmed a stop, gets no workspaces. In a cloud
    // another one would be launched.
    for (const { nodeId } of this.nodes)
      await changeNode(this.stage.table, {
        nodeId,
        set: { lastHeartbeatAt: new Date().toISOString(), retiredAt: null, retiredFor: null },
        when: {},
        now: new Date(),
      });
    const row = await this.stage.row(sleeper);
    const { workspaceId, generation } = row;
    const call = { now: new Date(), nodeIdFor: async () => newId(), limits: roomy };
    const { nodeId } = await placeWorkspace(this.stage.table, row, call);
    if (!this.nodes.some((node) => node.nodeId === nodeId)) {
      const { placementExplanation } = await this.stage.row(sleeper);
      throw new Error(`No node has a place: ${JSON.stringify(placementExplanation)}`);
    }
    const input = { workspaceId, generation, nodeId };
    await this.repeated('provision-workspace/create-on-node', {
      ...input,
      taskToken: `create-${generation}`,
    });
    await until(
      'the workspace runs',
      async () => ((await this.stage.row(sleeper)).status === 'running' ? true : undefined),
      20_000,
    );
    if (!isRestored) return;
    await this.repeated('provision-workspace/restore-on-node', {
      ...input,
      taskToken: `restore-${generation}`,
    });
    await until('its restore', async () => ((await this.stage.row(sleeper)).wake ? undefined : true), 20_000);
  }

  /**
   * A person stops the workspace and starts it again. Nothing happens when it cannot be stopped.
   * `onClaimed`: before the node learns of it.
   */
  async restart(sleeper: Sleeper, onClaimed: () => void): Promise<void> {
    const { table } = this.stage;
    const { workspaceId, userId } = sleeper.workspace;
    const stop = await claimStop(table, { workspaceId, userId, now: new Date() }).catch(() => undefined);
    if (stop?.status !== 'stopping') return;
    onClaimed();
    const { generation } = stop;
    const nodeConfirmed = await this.stopOnNode({ workspaceId, generation });
    await markStopped(table, { workspaceId, generation }, { nodeConfirmed, now: new Date() });
    await this.startAgain(sleeper);
  }

  /** A person starts a workspace from its files on the node. */
  async startAgain(sleeper: Sleeper): Promise<void> {
    // Whether its person still has access is no part of this.
    const repositoryCheckedAt = new Date().toISOString();
    const workspace = { ...(await this.stage.row(sleeper)), repositoryCheckedAt };
    const source = { table: this.stage.table } as Parameters<typeof claimRestart>[0];
    await claimRestart(source, { workspace, grant: undefined, mode: 'restart', now: new Date() });
    await this.provision(sleeper, false);
    const { workspaceId, generation, nodeId } = await this.stage.row(sleeper);
    await this.repeated('provision-workspace/resume-sessions', { workspaceId, generation, nodeId });
  }

  /** As the saga stop-workspace does: repeated, and given up. */
  private async stopOnNode(input: StepInput) {
    return this.repeated('stop-workspace/stop-on-node', input).then(
      () => true,
      () => false,
    );
  }

  /** As sagas do: the agent may have been killed. */
  private async repeated(step: StepName, input: StepInput): Promise<void> {
    for (let times = 1; ; times += 1) {
      try {
        await this.plane.run(step, input);
        return;
      } catch (error) {
        if (times === 5) throw error;
        await wait(times * 500);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The agents would start them again.
    await this.stack.disposeAsync();
    for (const { workspace } of this.sleepers) {
      const name = `svc-ws-${workspace.workspaceId}`;
      docker('rm', '-f', '-v', name);
      docker('volume', 'rm', '-f', name);
    }
  }

  private async putNodes(): Promise<void> {
    for (const { nodeId, place } of this.nodes) {
      await putNode(this.stage.table, aNode({ nodeId, userId: this.userId, capacity, ...place }));
    }
  }

  /** A workspace with a chat of a project, on one of the nodes. */
  private async open(): Promise<void> {
    const { table } = this.stage;
    const { userId } = this;
    const [projectId, agentSessionId, at] = [newId(), newId(), new Date().toISOString()];
    const settings = { raiseMemoryAfterOom: false };
    const chat = await putChat(table, { userId, projectId, agentSessionId, lastSequence: 3 });
    await putMembership(table, chat);
    await putItem(table, projectItem(aProject({ projectId, settings })));
    const workspace = await pendingWorkspace(table, {
      ...{ workspaceId: chat.workspaceId ?? '', userId, projectId, branch: 'main' },
      ...{ repository: 'octo/full', cloneUrl: this.plane.fake.cloneUrl('full'), repositoryCheckedAt: at },
      agentSessions: new Set([agentSessionId]),
      resolvedReservation: { ...requestedReservation(null), memoryMb },
    });
    const { workspaceId } = workspace;
    const { chatId } = chat;
    const names = {
      agentSessionId,
      workspaceId,
      userId,
      projectId,
      chatId,
      generation: 1,
      label: null,
    } as const;
    const more = { status: 'running', agentType: 'claude-code', stoppedAt: null } as const;
    await putItem(table, agentSessionItem({ ...names, ...more, createdAt: at, updatedAt: at }));
    const sleeper = { workspace, chatId, agentSessionId };
    this.sleepers.push(sleeper);
    await this.provision(sleeper, false);
    const { nodeId } = await this.stage.row(sleeper);
    const { agent } = this.nodeOf(nodeId);
    const token = await this.plane.management(nodeId ?? '', workspaceId);
    const session = { sessionId: agentSessionId, chatSessionId: chatId, projectId };
    // As the control plane creates it.
    const headers = { 'idempotency-key': agentSessionId };
    await agent.call('POST', `/workspaces/${workspaceId}/agent-sessions`, token, session, headers);
  }
}
