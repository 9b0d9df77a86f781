import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

/** The roles that this machine supports. */
export const rolesHere = ['standalone', 'workspace'].filter((role) => role === 'standalone' || hasDocker());

/** An agent with running workspaces; disposal removes everything. */
export class StartedWorkspaces implements AsyncDisposable {
  readonly workspaceIds: string[] = [];

  private constructor(
    private readonly role: string,
    readonly fake: FakeControlPlane,
    readonly agent: AgentProcess,
  ) {}

  static async start(
    role: string,
    count = 1,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<StartedWorkspaces> {
    // Containers find the code host of these tests at the gateway of the engine.
    const isInContainers = role === 'workspace';
    const fake = await FakeControlPlane.start(isInContainers ? '0.0.0.0' : undefined);
    const agent = new AgentProcess(fake, {
      NODE_ROLE: role,
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      ...(isInContainers ? { WORKSPACE_LOOPBACK_ALIAS: engineGateway() } : {}),
      WORKSPACE_BUILD_QUEUE_DEPTH: '4',
      ...environment,
    });
    await agent.start();
    const started = new StartedWorkspaces(role, fake, agent);
    await Promise.all(Array.from({ length: count }, () => started.make()));
    return started;
  }

  get workspaceId(): string {
    return this.workspaceIds[0] ?? '';
  }

  /** Folder of the first workspace, as its user sees it. */
  get root(): string {
    return this.role === 'workspace'
      ? '/workspaces'
      : join(this.agent.folder, 'workspaces', this.workspaceId, 'work');
  }

  /** Runs a script as the user, in the repository or another folder of it. */
  shell(script: string, folder = 'full'): void {
    const place = join(this.root, folder);
    if (this.role === 'workspace')
      docker('exec', '-w', place, `svc-ws-${this.workspaceId}`, 'sh', '-c', script);
    else execFileSync('sh', ['-c', script], { cwd: place });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.workspaceIds)
      await this.agent.call('DELETE', `/workspaces/${id}`, await this.fake.management(id));
    await this.agent[Symbol.asyncDispose]();
    await this.fake[Symbol.asyncDispose]();
  }

  private async make(): Promise<void> {
    const id = ulid();
    this.workspaceIds.push(id);
    const body = await workspaceRequest(this.fake, id);
    await this.agent.call('POST', '/workspaces', await this.fake.management(id), body);
    await until(`${id} to be ready`, () => this.fake.callsTo(`${id}/ready`)[0]);
  }
}
