import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { ulid } from 'ulid';
import { requestsTo } from '../../../agent/src/sandbox/engine/engine-address.js';
import { EngineProxy } from '../../../agent/src/sandbox/engine/engine-proxy.js';
import type { ContainerLimits } from '../../../agent/src/workspaces/container/container-settings.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { openBuildPlace } from '../../../agent/src/workspaces/devcontainer/build-place.js';

interface BuildResult {
  readonly code: number;
  readonly output: string;
}

/** The engine as builds of one workspace see it: the agent's proxy, network and limits. */
export class BuildDoor implements AsyncDisposable {
  private constructor(
    readonly workspaceId: string,
    readonly network: string,
    private readonly folder: string,
    private readonly opened: AsyncDisposableStack,
  ) {}

  static async open(limits: ContainerLimits): Promise<BuildDoor> {
    await using opened = new AsyncDisposableStack();
    const workspaceId = ulid();
    const labels = { 'svc.workspace': workspaceId };
    const client = new Docker();
    const options = { workspaceId, labels, limits };
    const place = opened.use(await openBuildPlace(new DockerEngine(client), options));
    const folder = mkdtempSync(join(tmpdir(), 'builds-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    opened.use(
      await EngineProxy.open({
        folder,
        scope: { workspaceId, labels, containerId: null, hasBuildKit: false, place },
        allowedHosts: [],
        request: await requestsTo(client),
        onRefused: () => undefined,
      }),
    );
    return new BuildDoor(workspaceId, place.network, folder, opened.move());
  }

  get imageName(): string {
    return `svc-ws-${this.workspaceId.toLowerCase()}`;
  }

  /** Runs the docker command through the proxy, as the dev container tool does. */
  docker(args: readonly string[], cwd?: string): Promise<BuildResult> {
    const env = { ...process.env, DOCKER_BUILDKIT: '0' };
    const all = ['--host', `unix://${this.folder}/engine.sock`, ...args];
    return new Promise((resolve) => {
      const child = execFile('docker', all, { env, cwd, timeout: 120_000 }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
      );
    });
  }

  async build(files: Readonly<Record<string, string>>, more: readonly string[] = []): Promise<BuildResult> {
    const context = mkdtempSync(join(tmpdir(), 'context-'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(context, path)), { recursive: true });
      writeFileSync(join(context, path), text);
    }
    const args = ['build', '--no-cache', '-t', this.imageName, ...more, '.'];
    const result = await this.docker(args, context);
    rmSync(context, { recursive: true, force: true });
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened.disposeAsync();
  }
}
