import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Docker from 'dockerode';
import { ulid } from 'ulid';
import type { BuildKit } from '../../../agent/src/sandbox/buildkit/buildkit-build.js';
import { requestsTo } from '../../../agent/src/sandbox/engine/engine-address.js';
import { EngineProxy } from '../../../agent/src/sandbox/engine/engine-proxy.js';
import { Sandbox } from '../../../agent/src/sandbox/sandbox.js';
import type { ContainerLimits } from '../../../agent/src/workspaces/container/container-settings.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import { openBuildPlace } from '../../../agent/src/workspaces/devcontainer/build-place.js';
import { BuildKitNode } from '../../../agent/src/workspaces/devcontainer/buildkit-node.js';
import { BuildKitEngine } from '../../support/buildkit-engine.js';

interface BuildResult {
  readonly code: number;
  readonly output: string;
}

interface DoorOptions {
  /** Default: the engine of this machine. */
  readonly engine?: BuildKitEngine;
  readonly hasBuildKit?: boolean;
}

type Place = Awaited<ReturnType<typeof openBuildPlace>>;

/** The engine as builds of one workspace see it: the agent's proxy, network and limits. */
export class BuildDoor implements AsyncDisposable {
  private constructor(
    readonly workspaceId: string,
    readonly place: Place,
    readonly buildKit: BuildKit | null,
    private readonly folder: string,
    private readonly opened: AsyncDisposableStack,
  ) {}

  static async open(limits: ContainerLimits, options: DoorOptions = {}): Promise<BuildDoor> {
    await using opened = new AsyncDisposableStack();
    const workspaceId = ulid();
    const labels = { 'svc.workspace': workspaceId };
    const client = options.engine?.docker ?? new Docker();
    const engine = new DockerEngine(client);
    const place = opened.use(await openBuildPlace(engine, { workspaceId, labels, limits }));
    const folder = mkdtempSync(join(tmpdir(), 'builds-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    const buildKit = options.hasBuildKit ? await openBuildKit({ workspaceId, engine, place, opened }) : null;
    opened.use(
      await EngineProxy.open({
        folder,
        scope: { workspaceId, labels, containerId: null, place },
        allowedHosts: [],
        request: await requestsTo(client),
        buildKit,
        onRefused: () => undefined,
        onBuildKitNeeded: () => undefined,
      }),
    );
    return new BuildDoor(workspaceId, place, buildKit, folder, opened.move());
  }

  get network(): string {
    return this.place.network;
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

  async build(
    files: Readonly<Record<string, string>>,
    more: readonly string[] = ['--no-cache'],
  ): Promise<BuildResult> {
    const context = mkdtempSync(join(tmpdir(), 'context-'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(context, path)), { recursive: true });
      writeFileSync(join(context, path), text);
    }
    const args = ['build', '-t', this.imageName, ...more, '.'];
    const result = await this.docker(args, context);
    rmSync(context, { recursive: true, force: true });
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened.disposeAsync();
  }
}

interface BuildKitOptions {
  readonly workspaceId: string;
  readonly engine: DockerEngine;
  readonly place: Place;
  readonly opened: AsyncDisposableStack;
}

/** Several doors use BuildKit at the same time, as the agents of several machines do. */
async function openBuildKit({ workspaceId, engine, place, opened }: BuildKitOptions): Promise<BuildKit> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = new Sandbox({ folder, userId: 59_998, isRequired: true });
  await sandbox.unavailable();
  const node = new BuildKitNode({ isAllowed: true, buildxPath: BuildKitEngine.buildx }, { engine, sandbox });
  const obstacle = await node.obstacle(place);
  if (obstacle !== null) throw new Error(obstacle);
  const closing = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<BuildKit>();
  const done = node.use({ workspaceId, place }, async (buildKit) => {
    ready.resolve(buildKit);
    await closing.promise;
  });
  opened.defer(async () => {
    closing.resolve();
    await done;
  });
  return ready.promise;
}
