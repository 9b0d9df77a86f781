import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface StartOptions {
  readonly root: string;
  readonly stateDir: string;
  readonly port: number;
  readonly role: 'standalone' | 'workspace';
}

/** `npm start` as a person gives it, with a state folder of its own. */
export class StartedBerth implements AsyncDisposable {
  private constructor(
    readonly url: string,
    readonly startSeconds: number,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Resolves at the line that reports readiness. @throws with all it printed, when it
   * ends before
   */
  static async start({ root, stateDir, port, role }: StartOptions): Promise<StartedBerth> {
    const began = performance.now();
    const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
      cwd: root,
      env: {
        ...process.env,
        BERTH_STATE_DIR: stateDir,
        BERTH_PORT: String(port),
        BERTH_NODE_ROLE: role,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (!line.startsWith('Berth is ready')) continue;
      // Read on, or it would wait for its reader.
      child.stdout.resume();
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      return new StartedBerth(`http://localhost:${port}`, seconds, child);
    }
    throw new Error(`npm start ended:\n${lines.join('\n')}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await exited;
  }
}
