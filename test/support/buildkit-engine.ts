import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Docker from 'dockerode';
import { until } from './until.js';

const packages = resolve('.cache/buildkit-engine');
const program = join(packages, 'usr/sbin/dockerd');
/** Of the image: enough for steps of Dockerfiles. */
const programs =
  'bash sh cat chmod chown cp echo env false grep head id ls mkdir rm sed sleep tail touch true'.split(' ');

/** Whether scripts/buildkit-engine.sh has fetched the engine, and this process may start it. */
export function hasBuildKitEngine(): boolean {
  return existsSync(program) && process.getuid?.() === 0;
}

/** An engine with BuildKit in a network namespace of its own, with one small image. */
export class BuildKitEngine implements AsyncDisposable {
  /** An image of this engine with a shell. */
  readonly image = 'berth-small:1';
  readonly docker: Docker;

  private constructor(
    readonly socket: string,
    private readonly pid: number,
    private readonly opened: AsyncDisposableStack,
  ) {
    this.docker = new Docker({ socketPath: socket });
  }

  /** Path of the buildx plug-in. */
  static readonly buildx = join(packages, 'usr/libexec/docker/cli-plugins/docker-buildx');

  static async start(): Promise<BuildKitEngine> {
    await using opened = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    opened.defer(() => rmSync(folder, { recursive: true, force: true }));
    const path = (name: string) => join(folder, name);
    writeFileSync(path('daemon.json'), '{"features": {"containerd-snapshotter": false}}');
    const places = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${path(name)}`);
    // Not the containers of an engine that uses the same containerd.
    const names = ['containerd-namespace', 'containerd-plugins-namespace'].map(
      (name) => `--${name}=${name}-${process.pid}`,
    );
    const socket = path('docker.sock');
    const command = [program, `--host=unix://${socket}`, `--config-file=${path('daemon.json')}`, ...places];
    // The bridge has a name of its own: rules of firewalls for it concern no other engine.
    const network =
      'ip link set lo up && ip link add bkt0 type bridge && ip addr add 172.30.99.1/24 dev bkt0';
    const start = `${network} && exec "$@" --bridge=bkt0`;
    const child = spawn('unshare', ['--net', 'sh', '-c', start, 'sh', ...command, ...names], {
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    opened.defer(async () => {
      child.kill();
      await ended;
    });
    const engine = new BuildKitEngine(socket, child.pid ?? 0, opened.move());
    await until('the engine with BuildKit', () =>
      engine.docker.ping().then(
        () => true,
        () => undefined,
      ),
    );
    engine.importImage();
    return engine;
  }

  run(...args: readonly string[]): string {
    return execFileSync('docker', ['--host', `unix://${this.socket}`, ...args], { encoding: 'utf8' }).trim();
  }

  /** The command line for a program in the engine's network namespace. */
  inNetwork(...command: readonly string[]): readonly [string, ...string[]] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, ...command];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened.disposeAsync();
  }

  private importImage(): void {
    const names = programs.map((name) => `bin/${name}`);
    const libraries = names.flatMap((name) =>
      [...execFileSync('ldd', [`/${name}`], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(
        ([, path = '']) => path.slice(1),
      ),
    );
    const paths = [...new Set([...names, ...libraries, 'etc/passwd', 'etc/group'])];
    const input = execFileSync('tar', ['-C', '/', '-chf', '-', ...paths], { maxBuffer: 2 ** 28 });
    execFileSync('docker', ['--host', `unix://${this.socket}`, 'import', '-', this.image], { input });
  }
}
