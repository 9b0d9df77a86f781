import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';

/** A Docker engine of a test, which the test may stop, kill and start again. */
export class SecondEngine implements AsyncDisposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'engine-'));
  readonly host = `unix://${join(this.folder, 'docker.sock')}`;
  private child: ChildProcess | null = null;

  /** Null where none can be started: needs root and dockerd. */
  static async start(dataRoot?: string): Promise<SecondEngine | null> {
    if (process.getuid?.() !== 0 || spawnSync('dockerd', ['--version']).status !== 0) return null;
    const engine = new SecondEngine(dataRoot ?? null);
    await engine.start();
    return engine;
  }

  private constructor(private readonly dataRoot: string | null) {}

  async start(): Promise<void> {
    const at = (name: string) => join(this.folder, name);
    // A failed test keeps it.
    const log = openSync(at('dockerd.log'), 'a');
    // A killed engine leaves its pid file, and the next engine would wait for a reused id.
    rmSync(at('exec/containerd/containerd.pid'), { force: true });
    const child = spawn(
      'unshare',
      [
        // In the machine's network it would take the bridge of the first engine.
        ...['--net', 'dockerd'],
        ...['--host', this.host, '--data-root', this.dataRoot ?? at('data'), '--exec-root', at('exec')],
        ...['--pidfile', at('pid'), '--bridge=none', '--iptables=false', '--ip6tables=false'],
      ],
      { stdio: ['ignore', 'ignore', log] },
    );
    this.child = child;
    closeSync(log);
    const isHere = await until('the second engine answers', () => {
      if (child.exitCode !== null) return 'ended';
      return this.docker('version').status === 0 ? 'here' : undefined;
    });
    if (isHere === 'ended')
      throw new Error(`dockerd ended: ${readFileSync(at('dockerd.log'), 'utf8').slice(-8_192)}`);
  }

  /** Loads an image of the first engine. */
  take(image: string): void {
    const copied = spawnSync('sh', ['-c', `docker save ${image} | docker -H ${this.host} load`]);
    if (copied.status !== 0) throw new Error(`The image was not copied: ${copied.stderr}`);
  }

  docker(...args: string[]) {
    const { status, stdout, stderr } = spawnSync('docker', ['-H', this.host, ...args], { encoding: 'utf8' });
    return { status, text: stdout.trim(), stderr };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ids = this.docker('ps', '-aq').text.split('\n').filter(Boolean);
    if (ids.length > 0) this.docker('rm', '-f', ...ids);
    await this.stop();
    // A killed engine leaves mounts.
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const own = mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(this.folder));
    for (const path of own.reverse()) spawnSync('umount', ['-l', path]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
