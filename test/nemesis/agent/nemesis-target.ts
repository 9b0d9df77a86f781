import { join } from 'node:path';
import { ulid } from 'ulid';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { processesWith } from '../processes.js';
import type { Target } from './cut-request.js';
import type { Invocation } from './history.js';

/** A real agent with one workspace and a real harness that records its invocations. */
export class NemesisTarget implements AsyncDisposable {
  readonly workspaceId = ulid();
  private token = '';

  private constructor(
    private readonly controlPlane: FakeControlPlane,
    private readonly agent: AgentProcess,
    private readonly harness: AcpHarness,
  ) {}

  /** `bundle`: another agent than the real one. */
  static async start(bundle: string | null = null): Promise<NemesisTarget> {
    const controlPlane = await FakeControlPlane.start();
    const environment = { NODE_ROLE: 'standalone', HEARTBEAT_INTERVAL: '60s' };
    const launch = bundle === null ? undefined : () => [process.execPath, bundle] as const;
    const agent = new AgentProcess(controlPlane, environment, launch);
    const harness = await AcpHarness.make(join(agent.folder, 'harness'));
    const target = new NemesisTarget(controlPlane, agent, harness);
    await target.startAgent();
    target.token = await controlPlane.sign(
      {
        aud: 'node-management',
        sub: 'control-plane',
        node: environmentNode(await controlPlane.management()),
        workspace: target.workspaceId,
      },
      '24h',
    );
    const body = await workspaceRequest(controlPlane, target.workspaceId);
    await agent.call('POST', '/workspaces', await controlPlane.management(target.workspaceId), body);
    await until('the workspace', async () => {
      const answer = await agent.call('GET', '/workspaces', await controlPlane.management());
      return JSON.stringify(answer.body).includes('"status":"running"') || undefined;
    });
    return target;
  }

  get address(): Target {
    return { port: this.agent.port, certificate: this.agent.certificate(), token: this.token };
  }

  get agentPid(): number {
    return this.agent.pid;
  }

  get output(): string {
    return this.agent.output;
  }

  killAgent(): Promise<void> {
    return this.agent.kill('SIGKILL');
  }

  startAgent(): Promise<void> {
    return this.agent.start({
      ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': this.harness.command }),
      // The nemesis causes more crashes than the default limit allows.
      ACP_MAX_RESTART_ATTEMPTS: '1000',
    });
  }

  /** Running processes of the harness. */
  harnessPids(): Promise<number[]> {
    return processesWith('cmdline', [this.harness.command[2] ?? '']);
  }

  invocations(): Invocation[] {
    return this.harness.journal('prompt').map(({ text = '', pid, at }) => ({ text, pid, at }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]();
    await this.controlPlane[Symbol.asyncDispose]();
  }
}

function environmentNode(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).node;
}
