import type { Readable, Writable } from 'node:stream';
import type { Workspace } from '../../workspaces/workspace.js';
import type { StderrTail } from './stderr-tail.js';

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
