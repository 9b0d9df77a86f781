import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { TestWorkspaces } from './workspaces.js';

const service = fileURLToPath(new URL('preview-service.mjs', import.meta.url));

/** All network modes of a workspace. */
export const previewNetworks = [
  { name: 'a standalone node', role: 'standalone', network: 'host', isHere: true },
  { name: "a container on the node's own network", role: 'workspace', network: 'host', isHere: hasDocker() },
  { name: 'a container on a network of its own', role: 'workspace', network: 'own', isHere: hasDocker() },
].filter(({ isHere }) => isHere);

type PreviewNetwork = (typeof previewNetworks)[number];

/** A node with workspaces in which services run. */
export class PreviewNode implements AsyncDisposable {
  private constructor(
    readonly kind: PreviewNetwork,
    readonly fake: FakeControlPlane,
    readonly agent: AgentProcess,
    readonly workspaces: TestWorkspaces,
  ) {}

  static async start(
    kind: PreviewNetwork,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PreviewNode> {
    const fake = await FakeControlPlane.start();
    const agent = new AgentProcess(fake, {
      NODE_ROLE: kind.role,
      WORKSPACE_NETWORK: kind.network,
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      PORT_SCAN_INTERVAL: '200ms',
      ...environment,
    });
    await agent.start();
    return new PreviewNode(kind, fake, agent, new TestWorkspaces(fake, agent));
  }

  /** Id of a running workspace with the tools that services need. */
  async workspace(): Promise<string> {
    const id = await this.workspaces.make();
    if (this.kind.role === 'workspace') {
      docker('cp', process.execPath, `svc-ws-${id}:/usr/local/bin/node`);
      docker('cp', service, `svc-ws-${id}:/preview-service.mjs`);
    }
    return id;
  }

  /**
   * Starts the service in the workspace through a shell, on a free port by default; returns the
   * port.
   */
  async serve(workspaceId: string, { host = '127.0.0.1', port = 0 } = {}): Promise<number> {
    const chosen = port || (await freePort());
    const program =
      this.kind.role === 'workspace'
        ? '/usr/local/bin/node /preview-service.mjs'
        : `${process.execPath} ${service}`;
    const terminal = await this.workspaces.run(workspaceId, `${program} ${chosen} ${host}`);
    await terminal.waitForText(/listens \d+/);
    return chosen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workspaces[Symbol.asyncDispose]();
    await this.agent[Symbol.asyncDispose]();
    await this.fake[Symbol.asyncDispose]();
  }
}

/** A port below the ephemeral range. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '0.0.0.0', () => resolve((server.address() as AddressInfo).port === port));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
