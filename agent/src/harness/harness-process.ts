import type { Readable, Writable } from 'node:stream';
import { redactText } from '../shared/redact.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Request to start a process in a workspace, as its user. */
export interface Launch {
  readonly workspace: Workspace;
  /** Mark in the environment by which the process and its children are found. */
  readonly sessionId: string;
  readonly argv: readonly string[];
  readonly workDir: string;
  /** Contains secrets: never put on a command line or into the engine API. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface HarnessProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  readonly exited: Promise<ProcessEnd>;
  /**
   * In words, when the kernel has just killed a process of the workspace for lack of memory: this
   * process, or one that it needs.
   */
  outOfMemory?(): string | null;
  /** Signals the process and its children. */
  signal(name: 'TERM' | 'KILL'): Promise<void>;
}

export interface HarnessLauncher {
  launch(launch: Launch): Promise<HarnessProcess>;
  /** Ends processes of earlier runs of this session. */
  endLeftovers(workspace: Workspace, sessionId: string): Promise<void>;
}

/** The last bytes of standard error of a process. */
export class StderrTail {
  private held = Buffer.alloc(0);
  private dropped = false;

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    const whole = Buffer.concat([this.held, chunk.subarray(-this.maxBytes)]);
    this.dropped ||= whole.length > this.maxBytes || chunk.length > this.maxBytes;
    this.held = Buffer.from(whole.subarray(-this.maxBytes));
  }

  get isTruncated(): boolean {
    return this.dropped;
  }

  /**
   * Redacted text. Drops a truncated first line: half a secret would not be recognised.
   * @param secrets values to redact
   */
  text(secrets: readonly string[] = []): string {
    const all = this.held.toString();
    const lineStart = all.indexOf('\n') + 1;
    const whole = this.dropped ? (lineStart > 0 ? all.slice(lineStart) : '') : all;
    return redactText(withoutSecrets(whole, secrets)).trim();
  }
}

/** Shorter values occur in ordinary text. */
const shortestSecret = 8;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
