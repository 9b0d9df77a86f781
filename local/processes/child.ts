import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunLedger } from './run-ledger.js';

interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly ledger: RunLedger;
}

/**
 * A process of the laptop cloud. It has a session of its own, so that Ctrl-C reaches only this
 * process, which then ends its children in order. Its standard input is a pipe that closes when
 * this process dies, however it dies.
 */
export class Child {
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private hasExited = false;

  private constructor(private readonly process: ChildProcess) {
    this.exited = new Promise((resolve) => {
      process.once('error', () => resolve({ code: 127, signal: null }));
      process.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.exited.then(() => {
      this.hasExited = true;
    });
  }

  static start({ name, command, args, cwd, env, logFile, ledger }: ChildOptions): Child {
    mkdirSync(dirname(logFile), { recursive: true });
    const log = openSync(logFile, 'a', 0o600);
    try {
      const process = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', log, log] });
      // A child that ends before it has read its input breaks the pipe; that is no error of ours.
      process.stdin?.on('error', () => undefined);
      if (process.pid !== undefined) ledger.record(name, process.pid);
      const child = new Child(process);
      child.exited.then(() => ledger.forget(name));
      return child;
    } finally {
      closeSync(log);
    }
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get running(): boolean {
    return !this.hasExited;
  }

  /** Asks it to end, and insists after `graceMs`. A repeat waits for the same end. */
  async stop(graceMs: number): Promise<void> {
    if (this.hasExited) return;
    this.process.kill('SIGTERM');
    const insist = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(insist);
  }

  letGo(): void {
    this.process.stdin?.end();
  }

  /** As a power cut would: the process and all of its session that stayed in its group. */
  kill(): void {
    if (this.hasExited || this.process.pid === undefined) return;
    try {
      process.kill(-this.process.pid, 'SIGKILL');
    } catch {
      this.process.kill('SIGKILL');
    }
  }
}
