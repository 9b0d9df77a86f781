import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.js';

/**
 * Environment of `npm start` that is a stranger's business: vitest's own, and AWS settings of
 * another test.
 */
const foreign = /^(?:VITEST|AWS_|NODE_OPTIONS$|NODE_ENV$|TEST$|npm_)/;

/** `npm start` as a person runs it, in a folder and on ports of its own. */
export class NpmStart {
  output = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;

  constructor(
    private readonly stateDir: string,
    readonly port: number,
  ) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
    this.child = spawn('npm', ['start'], {
      env: { ...env, BERTH_STATE_DIR: stateDir, BERTH_PORT: String(port), BERTH_NODE_ROLE: 'standalone' },
      // A group of its own, as a shell gives it: Ctrl-C reaches the group, and no more than that.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exit = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  says(text: string, timeoutMs = 150_000): Promise<true> {
    return until(
      `npm start says "${text}"`,
      () => {
        if (this.output.includes(text)) return true;
        if (this.child.exitCode !== null || this.child.signalCode !== null)
          throw new Error(`It has ended and said:\n${this.output}`);
        throw new Error(`It said:\n${this.output}`);
      },
      timeoutMs,
    );
  }

  /** As a terminal does on Ctrl-C: every process of the group at once. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-(this.child.pid ?? 0), signal);
  }

  /** npm alone, as `kill` with its id does. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async ended(): Promise<number | null> {
    await this.exit;
    return this.child.exitCode;
  }

  /**
   * Every process that runs for this state folder, by its environment: also what nobody recorded.
   */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isOf(this.stateDir, pid));
  }

  untilNoProcess(): Promise<true> {
    return until(
      'no process is left',
      () => {
        const left = this.processes();
        if (left.length === 0) return true;
        throw new Error(left.map((pid) => `${pid} ${readProc(pid, 'cmdline')}`).join('\n'));
      },
      40_000,
    );
  }

  /** The recorded process of this name. */
  pidOf(name: string): number {
    return JSON.parse(readFileSync(join(this.stateDir, 'run', `${name}.json`), 'utf8')).pid;
  }
}

function isOf(stateDir: string, pid: number): boolean {
  return readProc(pid, 'environ').includes(stateDir) && !/^\S+ \(.*\) Z/.test(readProc(pid, 'stat'));
}

function readProc(pid: number, file: 'environ' | 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // The process has ended.
  }
}
