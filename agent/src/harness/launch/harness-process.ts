import type { Readable, Writable } from 'node:stream';
import { redactText } from '../../shared/redact.js';
import type { Workspace } from '../../workspaces/workspace.js';

/** A process to be started in a workspace, as its user. */
export interface Launch {
  readonly workspace: Workspace;
  /** Its mark, by which it and all it starts are found again. */
  readonly sessionId: string;
  readonly argv: readonly string[];
  readonly workDir: string;
  /** Secrets are among them: on no command line and in no answer of the Docker engine. */
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
  /** Signals it and all that it has started. */
  signal(name: 'TERM' | 'KILL'): Promise<void>;
}

export interface HarnessLauncher {
  launch(launch: Launch): Promise<HarnessProcess>;
  /** Ends what an earlier run of this session may have left behind. */
  endLeftovers(workspace: Workspace, sessionId: string): Promise<void>;
}

/** The end of what a process says on standard error. */
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
   * Redacted, from the first whole line on where some was lost: half a secret at the cut would not be recognised.
   * @param secrets values that must not be shown, whatever they look like
   */
  text(secrets: readonly string[] = []): string {
    const all = this.held.toString();
    const lineStart = all.indexOf('\n') + 1;
    const whole = this.dropped ? (lineStart > 0 ? all.slice(lineStart) : '') : all;
    return redactText(withoutSecrets(whole, secrets)).trim();
  }
}

/** Shorter values are no secrets, and would be found everywhere. */
const shortestSecret = 8;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
