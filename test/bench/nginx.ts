import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../support/until.js';

/** Where Debian puts it, which is on no ordinary user's search path. */
const program = '/usr/sbin/nginx';

export function hasNginx(): boolean {
  return spawnSync(program, ['-v'], { stdio: 'ignore' }).status === 0;
}

/**
 * The distribution's nginx with one worker, as the agent is one process, and a configuration of the
 * caller's.
 */
export class Nginx implements AsyncDisposable {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves when it listens at `port`. */
  static async start(options: {
    readonly folder: string;
    readonly name: string;
    readonly port: number;
    readonly server: string;
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<Nginx> {
    const { folder, name, port, server, env = {} } = options;
    const file = join(folder, `${name}.conf`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, `${name}-${kind}`)};`,
    );
    writeFileSync(
      file,
      `user root; worker_processes 1; daemon off; pid ${join(folder, `${name}.pid`)}; error_log stderr;
       events { worker_connections 1024; }
       http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${paths.join(' ')}
         server { ${server} } }`,
    );
    // Under a shell, for nginx writes over its own environment, by which a workspace's processes
    // are known.
    const child = spawn('/bin/sh', ['-c', '"$@"; exit $?', 'sh', program, '-c', file, '-p', folder], {
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until(`nginx ${name} listens`, () => listens(port));
    return new Nginx(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.pid) process.kill(-this.child.pid, 'SIGTERM');
    await exited;
  }
}

function listens(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined));
    socket.once('connect', () => socket.destroy());
  });
}
