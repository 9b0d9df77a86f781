import { join } from 'node:path';
import { agentSessionItem } from '../../../lambdas/domain/agent-sessions/agent-session.js';
import { interactionSettings } from '../../../lambdas/domain/interactions/interaction-settings.js';
import { placedOn, workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { InteractionSettings } from '../../../protocol/interactions.js';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { nodeId } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { putChat, putMembership } from '../../integration/prompts/a-chat.js';
import { NodeStub } from '../../integration/workspaces/node-stub.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { putItem } from '../../support/project.js';
import { aNode, aWorkspace, putNode } from '../../support/records.js';
import { signIn } from '../../support/sign-in.js';
import { until } from '../../support/until.js';
import { ChatViewer } from './chat-viewer.js';
import type { InteractionPlane } from './interaction-plane.js';
import { RequestJournal } from './request-journal.js';

/** `unheard`: the delivery of an answer is cut before its effect on the node, `lost`: after it. */
export type DeliveryFault = 'unheard' | 'lost';

/** A chat with an agent in a workspace of its own, and two viewers on the node. */
export interface NemesisChat {
  readonly chatId: string;
  readonly projectId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  /** Of the creator. */
  readonly cookie: string;
  readonly userId: string;
  readonly viewers: readonly [ChatViewer, ChatViewer];
}

/** A person answers within it, or nobody does. */
const deadlineMs = 5_000;

const settings: InteractionSettings = {
  ...interactionSettings('conversation'),
  permissionDeadlineMs: deadlineMs,
  deadlineMarginMs: 1,
  settleRetryDelaysMs: [200, 500],
  settleRetrySteadyMs: 1_000,
};

/** A real agent with real coding agents, and a door between it and the control plane. */
export class InteractionTarget implements AsyncDisposable {
  readonly chats: NemesisChat[] = [];
  /** Of deliveries of answers, by workspace. */
  readonly deliveryFaults = new Map<string, DeliveryFault[]>();
  readonly journal: RequestJournal;
  private restarting: Promise<void> | null = null;

  private constructor(
    readonly plane: InteractionPlane,
    private readonly agent: AgentProcess,
    private readonly harness: AcpHarness,
    private readonly door: NodeStub,
  ) {
    this.journal = new RequestJournal(harness.journalPath);
    door.onRequest = ({ method, path, authorization, body }) =>
      this.pass(method, path, { authorization, body });
  }

  static async start(plane: InteractionPlane, chats: number): Promise<InteractionTarget> {
    const environment = { NODE_ROLE: 'standalone', HEARTBEAT_INTERVAL: '1s' };
    const agent = new AgentProcess(plane.fake, environment);
    const harness = await AcpHarness.make(join(agent.folder, 'harness'));
    const target = new InteractionTarget(plane, agent, harness, await NodeStub.start());
    await target.startAgent();
    await putNode(plane.table, aNode({ nodeId, capacity: chats, ...target.door.place }));
    for (let index = 0; index < chats; index += 1) await target.open();
    return target;
  }

  async request(chat: NemesisChat, path: string, body: object) {
    const { workspaceId } = chat;
    const token = await this.plane.token('management', {
      ...{ sub: 'control-plane', node: nodeId, workspace: workspaceId },
    });
    return this.agent.call('POST', `/workspaces/${workspaceId}/agent-sessions${path}`, token, body);
  }

  startBody(initialPrompt: string) {
    return { agentType: 'claude-code', initialPrompt, acpInteractions: settings } as const;
  }

  /** Kills it (`kill -9`) and starts it again. Two at once are one. */
  killAgent(onDeath: () => void): Promise<void> {
    this.restarting ??= this.restart(onDeath).finally(() => {
      this.restarting = null;
    });
    return this.restarting;
  }

  get output(): string {
    return this.agent.output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { viewers } of this.chats) for (const viewer of viewers) viewer.close();
    await this.agent[Symbol.asyncDispose]();
    await this.door[Symbol.asyncDispose]();
  }

  private async restart(onDeath: () => void): Promise<void> {
    await this.agent.kill('SIGKILL');
    onDeath();
    await this.startAgent();
    for (const { viewers } of this.chats) for (const viewer of viewers) await viewer.connect();
  }

  private startAgent(): Promise<void> {
    return this.agent.start({
      ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': this.harness.command }),
      // It crashes more often than anything that should be given up.
      ACP_MAX_RESTART_ATTEMPTS: '1000',
      MSG_BATCH_MAX_WAIT: '50ms',
    });
  }

  private async pass(
    method: string,
    path: string,
    { authorization, body }: { readonly authorization: string; readonly body: object },
  ) {
    const [, workspaceId = ''] = /^\/workspaces\/(\w+)\/.*\/answer$/.exec(path) ?? [];
    const fault = this.deliveryFaults.get(workspaceId)?.shift();
    const cut = { status: 0, body: {} };
    if (fault === 'unheard') return cut;
    const token = authorization.replace(/^Bearer /, '');
    const answer = await this.agent.call(method, path, token, body).catch(() => cut);
    return fault === 'lost' ? cut : answer;
  }

  /** As the sagas leave it when it runs. */
  private async open(): Promise<void> {
    const { table, fake } = this.plane;
    const { userId, cookie } = await signIn(table);
    const [projectId, workspaceId, sessionId] = [newId(), newId(), newId()];
    const chat = await putChat(table, { userId, projectId, workspaceId, agentSessionId: sessionId });
    const { chatId } = chat;
    await putMembership(table, chat);
    const workspace = aWorkspace({
      userId,
      projectId,
      workspaceId,
      nodeId,
      agentSessions: new Set([sessionId]),
    });
    await putItem(table, { ...workspaceItem(workspace), ...placedOn(nodeId, workspaceId) });
    const at = new Date().toISOString();
    const names = {
      agentSessionId: sessionId,
      workspaceId,
      generation: 1,
      userId,
      projectId,
      chatId,
      label: null,
    };
    const more = { agentType: 'claude-code', createdAt: at, updatedAt: at, stoppedAt: null } as const;
    await putItem(table, agentSessionItem({ ...names, ...more, status: 'running' }));

    const claims = { sub: workspaceId, node: nodeId, generation: 1 };
    const callbackToken = await this.plane.token('workspaceCallback', claims);
    const request = await workspaceRequest(fake, workspaceId, { callbackToken });
    const management = { sub: 'control-plane', node: nodeId, workspace: workspaceId } as const;
    const token = await this.plane.token('management', management);
    await this.agent.call('POST', '/workspaces', token, request);
    await until('the workspace', () => (fake.callsTo(`${workspaceId}/ready`).length > 0 ? true : undefined));
    const viewers = [
      this.viewer(workspaceId, sessionId, userId),
      this.viewer(workspaceId, sessionId, userId),
    ];
    const [one, two] = viewers;
    if (!one || !two) throw new Error('Two viewers');
    const opened = {
      chatId,
      projectId,
      workspaceId,
      sessionId,
      cookie,
      userId,
      viewers: [one, two],
    } as const;
    await this.request(opened, '', { sessionId, chatSessionId: chatId, projectId });
    for (const viewer of viewers) await viewer.connect();
    this.chats.push(opened);
  }

  private viewer(workspace: string, sessionId: string, userId: string): ChatViewer {
    const claims = { sub: userId, workspace, node: nodeId, generation: 1, session: 'nemesis' };
    return new ChatViewer(async () => {
      const token = await this.plane.token('terminal', claims);
      const query = `sessionId=${sessionId}&token=${token}`;
      return { url: `wss://127.0.0.1:${this.agent.port}/agent/ws?${query}`, ca: this.agent.certificate() };
    });
  }
}
